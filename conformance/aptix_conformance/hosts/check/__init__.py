"""host-check: compares a host with the host protocol before any tool is judged through it."""
