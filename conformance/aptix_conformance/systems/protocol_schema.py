"""Writes the published JSON Schemas of the host protocol: `python -m aptix_conformance.systems.protocol_schema`."""

from aptix_conformance.hosts.message_schemas import FILE, text
from aptix_conformance.systems.registry import OURS

if __name__ == "__main__":
    FILE.write_text(text(OURS.traits), encoding="ascii")
