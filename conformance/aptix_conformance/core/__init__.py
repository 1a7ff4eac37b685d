"""Records, contracts and schemas, with the errors and texts of all rooms. It starts no process and imports nothing above it."""
