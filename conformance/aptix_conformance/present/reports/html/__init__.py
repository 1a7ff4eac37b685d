"""The HTML report: one file that opens without a network or a server, and shows a whole run.

The page gets its data as compressed texts and makes elements only for what is visible, so that a thousand tools open at
once. A tool's texts reach the document in two ways only: in the summary that a browser without scripts shows, where they
are escaped here, and as text nodes that `page/text.js` makes. The page's own policy refuses every other script.
"""

from aptix_conformance.present.reports.html.changes_page import changes_html
from aptix_conformance.present.reports.html.page import render

__all__ = ["changes_html", "render"]
