"""Aptix tools: Python and C#."""
