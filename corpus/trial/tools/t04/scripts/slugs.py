"""Turns each argument into a slug for a file name."""
import re
import sys

for text in sys.argv[1:]:
    print(re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-"))
