"""An argument of another type than the schema's ends the process; the fixed server refuses the call."""

from pair import FAULTY, PairServer, described, serve, text


class Divider(PairServer):
    def called(self, name, arguments):
        if FAULTY and name == "divide" and {"a", "b"} <= arguments.keys():
            return divide(arguments["a"], arguments["b"])
        return super().called(name, arguments)


def divide(a, b):
    return text(f"{a / b:.6g}")


NUMBER = {"type": "integer", "minimum": 1, "maximum": 1000000}
PROPERTIES = {
    "a": {**NUMBER, "description": "What is divided."},
    "b": {**NUMBER, "description": "What it is divided by."},
}

if __name__ == "__main__":
    serve(described("divide", "Divides a by b.", PROPERTIES, ["a", "b"]), divide, Divider)
