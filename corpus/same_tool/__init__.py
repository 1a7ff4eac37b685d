"""One tool, written for each SDK and for Aptix, with the same faults: whether the suite says the same of each.

`tools/` has the tool, `faults.toml` the faults, the rules that speak of them, and why verdicts differ. `docs/same-tool.md` is made of
these and of the reports by `python -m corpus same-tool`.
"""
