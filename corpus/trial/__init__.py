"""A blind trial: tools that somebody wrote from public reports, examined once, and every miss published."""
