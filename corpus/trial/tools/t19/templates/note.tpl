Nothing to fill in.
