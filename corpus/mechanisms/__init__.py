"""Bugs of public tools for Amplifier, ART and C#, written anew in pairs: with the fault, and fixed."""
