"""The schema declares a default of 3 rows, and a call without the argument gets all rows; the fixed server applies the default."""

from pair import FAULTY, described, serve, structured

ROWS = ["Oslo", "Lima", "Kyiv", "Pune", "Bonn", "Cork", "Faro"]


def rows(limit=None if FAULTY else 3):
    return structured({"rows": ROWS[: None if limit is None else int(limit)]})


LIMIT = {
    "type": "integer",
    "description": "At most so many rows.",
    "default": 3,
    "minimum": 1,
    "maximum": 1000,
}

if __name__ == "__main__":
    serve(described("list_cities", "Lists rows of the table of cities.", {"limit": LIMIT}), rows)
