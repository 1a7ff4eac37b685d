"""Of a twin is shown what the nonconforming tool does otherwise."""

from tools.evidence.counterpart import counterpart

TWIN = '''
class Sound:
    """Sounds."""

    LIMIT = 3
    names: list[str] = []

    @staticmethod
    def schema():
        return {}

    def run(self):
        return 1
'''


def test_the_members_that_a_subclass_replaces_are_shown_with_their_decorators():
    source = "from twin import Sound\n\n\nclass Odd(Sound):\n    @staticmethod\n    def schema():\n        return None\n"
    assert counterpart(source, TWIN) == (
        "parts",
        "class Sound:\n\n    @staticmethod\n    def schema():\n        return {}",
    )


def test_constants_are_members_too():
    source = "class Odd(Sound):\n    LIMIT = 4\n    names: list[str] = ['x']\n"
    assert counterpart(source, TWIN)[1] == "class Sound:\n\n    LIMIT = 3\n\n    names: list[str] = []"


def test_functions_outside_of_classes_are_looked_up_too():
    twin = TWIN + "\n\nasync def mount(coordinator):\n    return None\n"
    source = "async def mount(coordinator):\n    return True\n"
    assert counterpart(source, twin)[1] == "async def mount(coordinator):\n    return None"


def test_a_member_that_is_the_same_is_not_shown():
    source = "class Odd:\n    LIMIT = 4\n\n    def run(self):\n        return 1\n"
    assert counterpart(source, TWIN)[1] == "class Sound:\n\n    LIMIT = 3"


def test_what_the_twin_inherits_is_looked_up_in_its_bases():
    source = "class Odd(Leaf):\n    LIMIT = 4\n"
    assert counterpart(source, "class Leaf(Sound): ...\n", [TWIN])[1] == "class Sound:\n\n    LIMIT = 3"


def test_files_without_a_common_member_are_compared_where_that_is_short():
    twin = "".join(f"line {number}\n" for number in range(40))
    form, text = counterpart(twin.replace("line 20\n", "line twenty\n"), twin)
    assert form == "difference"
    assert "-line 20\n+line twenty" in text


def test_a_short_twin_with_nothing_in_common_is_shown_whole_and_a_long_one_is_not():
    assert counterpart("export const a = 1\n", "def run(): ...\n") == ("whole", "def run(): ...")
    assert counterpart("export const a = 1\n", "def run(): ...\n" * 61) == ("none", "")
