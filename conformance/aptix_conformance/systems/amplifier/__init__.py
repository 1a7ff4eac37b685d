"""Amplifier tools: what a module mounts."""
