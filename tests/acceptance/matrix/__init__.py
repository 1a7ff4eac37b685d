"""The golden matrix: every rule over every fixture and every reference tool, in every edition of their systems.

`specimens` says which tools there are, `laboratory` examines one, `rows` says what was found in a line or two,
`stored` is the file of rows that a reviewer reads: `snapshots/matrix/verdicts.txt`. tests/acceptance/test_fixtures.py compares.
After a change that is meant: `python -m tests.acceptance.matrix --write`.
"""
