"""Notes in notebooks: one file for each notebook, one JSON string a line."""

import json
import threading
from pathlib import Path
from typing import Final

MOST_NOTES: Final = 1000
"""Notes of one notebook."""


class NotebookFullError(Exception):
    """A notebook takes no further note."""


class Notebooks:
    """The notebooks of a folder. A name must fit in a file's name; the tools' schemas see to that."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._keeping = threading.Lock()

    def read(self, notebook: str) -> list[str]:
        """The notes of a notebook in the order in which they were kept; none for one that nobody wrote in."""
        try:
            text = self._file(notebook).read_text(encoding="ascii")
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in text.splitlines()]

    def keep(self, notebook: str, note: str) -> None:
        """Keep a note; one that is there already stays as it is.

        Raises:
            NotebookFullError: the notebook has as many notes as it takes.
        """
        with self._keeping:  # calls run at the same time
            notes = self.read(notebook)
            if note in notes:
                return
            if len(notes) >= MOST_NOTES:
                raise NotebookFullError
            self._folder.mkdir(exist_ok=True)
            with self._file(notebook).open("a", encoding="ascii") as file:
                file.write(f"{json.dumps(note)}\n")

    def _file(self, notebook: str) -> Path:
        return self._folder / f"{notebook}.jsonl"
