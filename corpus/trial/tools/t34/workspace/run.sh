#!/bin/sh
echo start
exit 0
