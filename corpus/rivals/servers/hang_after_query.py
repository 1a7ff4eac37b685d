"""After a query over all folders the index stays locked, and each later call waits for ever; the fixed server releases the lock."""

import threading

from pair import FAULTY, described, serve, text

NOTES = {"garden": "2 notes", "books": "1 note"}
INDEX = threading.Lock()


def query(folder=None):
    INDEX.acquire()
    found = NOTES[folder] if folder else "3 notes"
    if folder or not FAULTY:
        INDEX.release()
    return text(found)


FOLDER = {"type": "string", "description": "Only this folder; all folders if left out.", "enum": list(NOTES)}

if __name__ == "__main__":
    serve(
        described("query_notes", "Counts the notes of a folder, or of all folders.", {"folder": FOLDER}),
        query,
    )
