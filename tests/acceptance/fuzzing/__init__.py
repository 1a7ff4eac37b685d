"""Malformed input for everything that the suite reads from strangers: one clear error each, and nothing else."""
