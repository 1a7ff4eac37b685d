"""A call of a tool that does not exist succeeds with the text "unknown tool"; the fixed server refuses it with an error."""

from pair import FAULTY, PairServer, described, serve, text

BOUNTIES = {"open": "12 bounties are open.", "paid": "40 bounties are paid."}


class Bounties(PairServer):
    def unknown_tool(self, name):
        return text("unknown tool") if FAULTY else super().unknown_tool(name)


def count(state):
    return text(BOUNTIES[state])


STATE = {"type": "string", "description": "Which bounties to count.", "enum": list(BOUNTIES)}

if __name__ == "__main__":
    serve(described("count_bounties", "Counts the bounties.", {"state": STATE}, ["state"]), count, Bounties)
