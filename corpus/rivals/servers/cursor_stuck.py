"""The only page of tools/list has a cursor, which leads to the same page again; the fixed server sends no cursor."""

from pair import FAULTY, PairServer, described, serve, text

PARTS = {"parser": "3 callers", "printer": "1 caller"}


class Graph(PairServer):
    def page(self, said, params):
        return said | {"nextCursor": "8"} if FAULTY else said

    def offering(self, method, params):
        if FAULTY and method == "tools/list" and params.get("cursor") == "8":
            params = {name: value for name, value in params.items() if name != "cursor"}
        return super().offering(method, params)


def trace(part):
    return text(PARTS[part])


PART = {"type": "string", "description": "The part of the code.", "enum": list(PARTS)}

if __name__ == "__main__":
    serve(described("trace_callers", "Counts the callers of a part.", {"part": PART}, ["part"]), trace, Graph)
