"""The rules that bind Amplifier tools only."""
