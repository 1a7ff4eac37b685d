"""host-check: a host held against the host protocol before any tool is judged through it."""
