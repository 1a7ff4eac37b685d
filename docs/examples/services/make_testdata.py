"""Makes the folder testdata: run it once, and commit what it makes."""

import contextlib
import sqlite3
from pathlib import Path

Path("testdata").mkdir()
with contextlib.closing(sqlite3.connect("testdata/rooms.db")) as rooms, rooms:
    rooms.execute("CREATE TABLE bookings (room TEXT, hours TEXT, UNIQUE (room, hours))")
    rooms.execute("INSERT INTO bookings VALUES ('Geyser', 'morning')")
