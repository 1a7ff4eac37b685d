"""What takes a process its rights before a tool runs in it. Standard library only."""
