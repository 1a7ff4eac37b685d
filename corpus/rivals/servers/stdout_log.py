"""Each call prints a line of log to standard output; the fixed server prints it to standard error."""

import sys

from pair import FAULTY, described, serve, text

ACTIONS = {"build": "Built 12 files.", "clean": "Removed 12 files.", "size": "The image has 184 KiB."}


def run(action):
    print(f"Executing action: {action}", file=sys.stdout if FAULTY else sys.stderr, flush=True)
    return text(ACTIONS[action])


ACTION = {"type": "string", "description": "The action to run.", "enum": list(ACTIONS)}

if __name__ == "__main__":
    serve(described("run_action", "Runs an action of the project.", {"action": ACTION}, ["action"]), run)
