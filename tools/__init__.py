"""What only developers of the suite run, in a checkout: `python -m tools.NAME`."""
