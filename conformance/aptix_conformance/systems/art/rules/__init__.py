"""The rules that bind ART tools only."""
