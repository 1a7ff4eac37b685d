"""Custom hosts: commands that speak the host protocol, for tools of any system."""
