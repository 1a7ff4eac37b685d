"""Counts the most frequent words of the files given as arguments, or of standard input."""
import fileinput
import re
from collections import Counter

counts = Counter()
for line in fileinput.input(encoding="utf-8"):
    counts.update(re.findall(r"\w+", line.lower()))
for word, number in counts.most_common(10):
    print(number, word)
