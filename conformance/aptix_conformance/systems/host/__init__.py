"""Hosts of one's own: commands that speak the host protocol, for tools of any system."""
