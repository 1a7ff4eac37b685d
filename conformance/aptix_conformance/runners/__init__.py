"""The tool's side of the process boundary: code that runs in the process of a tool. It imports nothing from the suite.

In a tool's process, these packages have a private name (`start.py`). In the parent, only the inline host and tests
import them.
"""
