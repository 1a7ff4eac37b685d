"""Reading usage texts: what is found in them, and what must not be."""

import pytest

from aptix_conformance.rules.lib import prose, secrecy

ARGUMENT_NAMES = [
    ("Arguments:\n- name: who\n- mood (optional): how", ["name", "mood"]),
    ("## Parameters\n\n* `city`: where\n  - units: nested, part of city\n", ["city"]),
    ("**Arguments**\n1. city — where\n2. *days*: how many", ["city", "days"]),
    ("Inputs:\n- 'city' = where", ["city"]),
    ("Set the `city` argument. The parameter 'days' has a default.", ["city", "days"]),
    ("Arguments:\n- none\n- Note: there are none\n- Required: nothing\n- City: a place", []),
    ("Arguments:\nNone. Call it with {}.", []),
    ("Error codes:\n- not_found: no such city", []),
    ("Arguments:\n- city: where\n\nError codes:\n- not_found: no such city", ["city"]),
    ("There is no `city` argument, and the `days` argument of `agent_forecast` is another matter.", []),
    ("It takes neither a `city` argument nor anything else. Do not send the parameter `days`.", []),
    ('Good usage:\n- "What is the argument about?" -> {"topic": "argument"}', []),
    ("Die Argumente:\n- Stadt: der Ort", []),
    ("The tool settles every argument: there is none that `it` loses.", []),
    ("Arguments are objects; `null` is a value. The word parameter is overused.", []),
]


@pytest.mark.parametrize(("text", "names"), ARGUMENT_NAMES)
def test_argument_names_are_those_that_the_text_plainly_gives(text, names):
    assert list(prose.argument_names(text)) == names


@pytest.mark.parametrize(
    "text",
    [
        "Asks http://localhost:8080/api for the answer.",
        "Asks https://wiki.corp/start first.",
        "Reads /home/kevin/aptix/data.json.",
        r"Reads C:\Users\Kevin\aptix\data.json.",
    ],
)
def test_one_installations_own_is_found(text):
    assert prose.environment_specific(text)


@pytest.mark.parametrize(
    "text",
    [
        "Pages on http://localhost:3000 are refused.",
        "Give a path such as /home/ada/letter.txt.",
        "Paths look like /home/user/letter.txt or /Users/you/letter.txt.",
        "Asks https://api.weather.example/v1 for the weather.",
        "The internal state stays; local time is used.",
    ],
)
def test_what_fits_every_installation_is_left_alone(text):
    assert prose.environment_specific(text) is None


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("purpose", "weather_tool: Usage Guide\nReports the weather of a city."),
        ("purpose", "Returns tomorrow's weather for a place."),
        ("purpose", "agent_weather tells the weather of a city."),
        ("when", "If the user asks for the weather, this is it."),
        ("purpose", "**What it is for.** A table of temperatures."),
        ("purpose", "text_word_count: counts the words of a text."),
        ("when not", "Only call it once a turn."),
        ("when not", "Skip it if a single word is looked for."),
        ("behaviour", "The list changes rarely, so one call in a conversation is enough."),
        ("behaviour", "Safe to call often."),
        ("errors", "An unknown city is rejected."),
        ("errors", "UNKNOWN_CITY: ask the user for another."),
        ("examples", 'Call it with {"city": "Oslo"}.'),
    ],
)
def test_a_content_is_there_as_soon_as_a_word_for_it_is(content, text):
    assert prose.says(text, content)


@pytest.mark.parametrize("content", prose.CONTENTS)
def test_no_content_is_seen_in_nothing(content):
    assert not prose.says("Hmm.", content)


@pytest.mark.parametrize(
    "text",
    [
        "Purpose\n-------\nAdds up.\n\nErrors\n------\nNone.",
        "tool\nPurpose: adds up.\nErrors: none.",
        "**What it is for.** Adds up.\n\n**Errors.** None.",
        """
        Purpose:
          Adds up.
        Errors:
          None.
        """,
        "## Purpose\nAdds up.\n## Errors\nNone.",
    ],
)
def test_headings_are_seen_in_whatever_way_they_are_marked(text):
    assert len(prose.headings(text)) == 2


def test_sentences_are_no_headings():
    text = "This tool adds up: numbers, that is.\nErrors come back as results.\nsum: the sum\n- none\n---"
    assert prose.headings(text) == []


def test_arguments_are_found_in_a_text_that_is_as_far_in_as_its_class():
    assert list(prose.argument_names("\n    Arguments:\n    - city: where\n    ")) == ["city"]


def test_naming_an_argument_speaks_of_arguments():
    assert prose.says("Put the place into city.", "arguments", ["city"])
    assert not prose.says("Put the place into capacity.", "arguments", ["city"])


@pytest.mark.parametrize(
    "text",
    [
        "key AKIA2E0A8F3B244C9986",
        "https://svc:h4nter2ssX@db.prod.com/x",
        'password = "hunter2hunter"',
        "api_key: 7d1a90c3e5b2",
        "ghp_" + "a1" * 18,
        "glpat-" + "a1B2" * 5,
        "glcbt-" + "a1B2" * 6,
        "glcbt-4f_" + "a1B2" * 6,
        "sk-ant-api03-" + "a1B2" * 10,
        "AIza" + "a1B2c" * 7,
        "-----BEGIN RSA PRIVATE KEY-----",
        "Connects with cnry0123456789abcdef.",
    ],
)
def test_secrets_are_found(text):
    assert list(secrecy.secrets_in(text))


@pytest.mark.parametrize(
    "text",
    [
        "key AKIAIOSFODNN7EXAMPLE",
        "https://user:password@example.com/x",
        'password: "your password"',
        "The secret: never tell anybody how it is done.",
        "Its secret is that the password must have 8 characters.",
        'Good usage: {"user": "ada", "password": "s3cret-42"}',
        "api_key: <your key here>",
        "token ghp_" + "x" * 36,
        "token ghp_EXAMPLE" + "a1" * 15,
        "token glpat-" + "x" * 20,
        "token: $API_TOKEN",
        "Order 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08.",
        "Mode 1b4e28ba-2fa1-11d2-883f-0016d3cca427.",
        "Sortierschlüssel und Passwort: beides ist nötig.",
        "skeleton-keys-and-other-very-long-words-joined-by-hyphens",
    ],
)
def test_honest_texts_hold_no_secret(text):
    assert list(secrecy.secrets_in(text)) == []


def test_a_counted_line_hides_no_other():
    text = "Never ask http://10.0.0.7/a for it.\nIt asks http://10.0.0.8/b for it."
    assert prose.environment_specific(text) == "http://10.0.0.8/b"


def test_anybodys_home_hides_no_other():
    text = "Write to /home/user/notes or to /home/ada.l/notes."
    assert prose.environment_specific(text) == "/home/ada.l/notes."
    assert prose.environment_specific("Write to /home/user/notes.") is None


@pytest.mark.parametrize(("above", "count"), [("Purpose", 1), ("A", 1), ("1. Purpose", 0)])
def test_an_underlined_line_of_words_is_a_heading(above, count):
    assert len(prose.headings(f"{above}\n=======\nIt greets.")) == count


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("- city: the city", ["city"]),
        ("- City: a word", []),
        ("- cityName: the city", ["cityName"]),
        ("- aB: two letters", ["aB"]),
        ("- City_Name: the city", ["City_Name"]),
        ("- City_name: the city", ["City_name"]),
        ("- CityName: the city", ["CityName"]),
        ("- ID: of the city", ["ID"]),
        ("- `City`: quoted", ["City"]),
        ("- `City: half quoted", []),
        ("- City`: half quoted", []),
        ("- optional: no name", []),
        ("- the city, if any", []),
    ],
)
def test_an_argument_is_named_where_the_layout_leaves_no_doubt(line, names):
    assert list(prose.argument_names(f"Arguments:\n{line}\n")) == names


def test_items_further_in_describe_an_argument():
    text = (
        "Arguments:\n- city: the city\n  - big: above a million\n- unit: c or f\nRules:\n- never: not this\n"
    )
    assert list(prose.argument_names(text)) == ["city", "unit"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Set the argument `city`.", ["city"]),
        ("The `city` argument is a name.", ["city"]),
        ("It has no `city` argument.", []),
        ("It is not for all. Set the `city` argument.", ["city"]),
        ("The `city` argument of the other_tool is something else.", []),
    ],
)
def test_an_argument_is_spoken_of_where_it_is_not_denied(text, names):
    assert list(prose.argument_names(text)) == names


def test_a_heading_is_its_words():
    assert [section.heading for section in prose.sections("It greets.\nArguments:\n- a: b\n**Rules**\n")] == [
        "",
        "Arguments",
        "Rules",
    ]


def test_an_underlined_line_is_a_heading_however_short_its_first_word_is():
    assert prose.headings("A few rules\n-----------\nGreet once.") == ["A few rules"]
    assert prose.headings("1. Greet once.\n-----------\nGreet once.") == []


@pytest.mark.parametrize("length", [50, 1_400, 1_500])
def test_a_secret_at_the_end_of_a_line_is_found_once(length):
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    assert list(secrecy.credentials_in(token.rjust(length))) == [("a credential (GitHub Token)", token)]


def test_a_secret_is_found_wherever_it_stands_in_a_very_long_line():
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    words = "word " * 1_000
    for place in range(0, len(words), 55):
        assert list(secrecy.secrets_in(f"{words[:place]} {token} {words[place:]}")), place


def test_a_secret_at_the_start_of_a_very_long_line_is_found_whole():
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    found = secrecy.credentials_in(f"{token} {'word ' * 1_000}")
    assert list(found) == [("a credential (GitHub Token)", token)]


def test_a_password_in_a_connection_string_is_found_without_its_name():
    found = secrecy.credentials_in("Server=tcp:db.internal;Password=hunter2x9;Timeout=5")
    assert list(found) == [("a password in a connection string", "hunter2x9")]
