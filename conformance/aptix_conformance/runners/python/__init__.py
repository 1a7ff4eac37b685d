"""What runs Python tools, under the tool's own interpreter: standard library only.

`zygote` imports a package and forks a process per tool, in which `server` serves the host protocol. The modules below
them know nothing of processes; the inline host uses those too. The protocol is in `docs/host-protocol.md`.
"""
