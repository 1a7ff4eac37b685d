"""The conformance suite: decides whether an AI agent's tool keeps its contract."""

__version__ = "0.1.0"
