"""The input schema of a tool without arguments has only $schema; the fixed one has type and properties."""

from pair import FAULTY, described, serve, text


def tasks(**_ignored):
    return text("1. Water the plants\n2. Call the bank")


DEFINITION = described("get_next_tasks", "Lists the tasks that are due next.", {})
if FAULTY:
    DEFINITION["inputSchema"] = {"$schema": "http://json-schema.org/draft-07/schema#"}

if __name__ == "__main__":
    serve(DEFINITION, tasks)
