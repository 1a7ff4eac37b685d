"""Runs Python tools under the tool's own interpreter. Standard library only.

`zygote` imports a package and forks a process per tool, in which `server` serves the host protocol. The modules that
they use know nothing about processes; the inline host uses these too. The protocol is in `docs/host-protocol.md`.
"""
