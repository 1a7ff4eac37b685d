"""What is sent to a tool and in which order: probes plan calls, and Hypothesis strategies draw them."""
