"""What the rules share."""
