"""Helpers that several areas of rules use: readers of declarations, payloads and prose; selection of calls."""
