"""What people start: the run that composes everything below, the pytest plugin, the commands and certificates."""
