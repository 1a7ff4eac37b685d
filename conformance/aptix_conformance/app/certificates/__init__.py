"""Certificates: signed statements on what an examination showed, which a stranger can check offline.

A certificate file holds in-toto Statements, version 1, each in a DSSE envelope, one JSON object a line. `issue` makes
them of examinations, `verify` checks a file that anybody may have written.
"""
