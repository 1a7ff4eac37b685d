"""Examinations on many processes and machines: a tool's examination as plain data, the store of results, and the engines."""
