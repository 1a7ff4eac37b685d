"""A record that does not exist is a success whose text says "Error"; the fixed server sets isError."""

from pair import FAULTY, described, failure, serve, text

TIMES = {1: "2 h design", 2: "3 h review", 3: "1 h meeting"}


def read(number):
    if number in TIMES:
        return text(TIMES[number])
    said = f"Error: 404 Not Found: there is no timesheet {number:g}."
    return text(said) if FAULTY else failure(said)


NUMBER = {
    "type": "integer",
    "description": "The number of the timesheet; the first three exist.",
    "minimum": 1,
    "maximum": 1000000,
    "examples": [1, 2, 3],
}

if __name__ == "__main__":
    serve(described("read_timesheet", "Reads one timesheet.", {"number": NUMBER}, ["number"]), read)
