"""How results are shown: reports in each format, the pages of rules, and what proves each clause."""
