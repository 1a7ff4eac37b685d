"""Mutation testing of the suite itself: `python -m mutation`; README.md beside this file says how and what for."""
