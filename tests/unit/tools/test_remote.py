"""The site loads nothing from another host: each way to do so is found, and links that are only followed are none."""

import pytest
from tools.remote import in_page, in_style


@pytest.mark.parametrize(
    "text",
    [
        '<script src="https://example.org/a.js"></script>',
        "<SCRIPT async SRC=//example.org/a.js></SCRIPT>",
        "<img alt='' src='http://example.org/a.png'>",
        '<img src="a.png" srcset="b.png 1x, https://example.org/b.png 2x">',
        '<link href="https://example.org/a.css" rel="preload stylesheet">',
        '<link rel="icon" href="//example.org/a.ico">',
        '<object data="https://example.org/a.svg"></object>',
        '<form action="https://example.org/search"></form>',
        "<p style=\"background: URL('https://example.org/a.png')\">",
        "<style>@import '//example.org/a.css';</style>",
        '<svg><use xlink:href="https://example.org/a.svg#b"/></svg>',
        '<base href="https://example.org/">',
    ],
)
def test_what_loads_from_another_host_is_found(text):
    assert len(in_page(f"<p>before</p>{text}<p>after</p>")) == 1


@pytest.mark.parametrize(
    "text",
    [
        '<a href="https://example.org/">a</a>',
        '<link rel="canonical" href="https://example.org/">',
        '<img src="_static/a.png"><script src="../a.js"></script>',
        '<img src="data:image/svg+xml,%3Csvg xmlns=%22http:%2F%2Fwww.w3.org%22%3E">',
        '<pre>&lt;script src="https://example.org/a.js"&gt; url(https://example.org)</pre>',
        "<style>p { background: url(a.png) }</style> url(https://example.org/a.png)",
        "<script>let page = 'https://example.org/';</script>",
    ],
)
def test_what_loads_nothing_from_there_is_not(text):
    assert in_page(text) == []


def test_a_style_sheet_is_read_too():
    assert in_style('@font-face { src: url("https://example.org/a.woff2") }') != []
    assert in_style("/* https://example.org */ p { background: url(../a.png) }") == []
