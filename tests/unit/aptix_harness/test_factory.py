import pytest

from aptix_harness import AdminLogger, InvalidOperationError, ToolFactory


def made_by(logger, constructor, **services):
    """Return the instance that the factory makes of a class with this constructor."""
    return ToolFactory(logger, services)(type("T", (), {"__init__": constructor}))


@pytest.mark.parametrize("kind", ["logger", "admin_logger"])
def test_parameter_named_as_the_logger_gets_the_logger(logger, kind):
    """The name alone is enough."""
    namespace = {}
    exec(f"def constructor(self, {kind}): self.log = {kind}", namespace)
    assert made_by(logger, namespace["constructor"]).log is logger


def test_parameter_annotated_as_the_logger_gets_the_logger(logger):
    """So is the annotation, as a class or as text, with or without None."""

    def constructor(self, a: AdminLogger, b: AdminLogger | None, c: "AdminLogger", d: "x.AdminLogger | None"):  # noqa: F821
        self.logs = [a, b, c, d]

    assert made_by(logger, constructor).logs == [logger] * 4


def test_other_parameters_get_the_services_of_their_names(logger):
    """Positional-only, ordinary and keyword-only parameters are filled alike."""

    def constructor(self, logger, clock, /, catalog, *rest, store, **options):
        self.parts = (logger, clock, catalog, store, rest, options)

    made = made_by(logger, constructor, clock=1, catalog=2, store=3)
    assert made.parts == (logger, 1, 2, 3, (), {})


def test_default_stands_where_there_is_no_service(logger):
    """A parameter with a default asks for nothing."""

    def constructor(self, limit=7):
        self.limit = limit

    assert made_by(logger, constructor).limit == 7


def test_missing_service_is_named_beside_those_that_there_are(logger):
    """The error says which service is missing and which are not."""

    def constructor(self, catalogue):
        pass

    with pytest.raises(InvalidOperationError, match=r"T asks for 'catalogue'.*there are: catalog\)"):
        made_by(logger, constructor, catalog=1)


def test_class_without_constructor_is_made(logger):
    """Nothing to inject is fine."""
    assert type(ToolFactory(logger)(type("Bare", (), {}))).__name__ == "Bare"


def test_what_the_constructor_raises_comes_through(logger):
    """The factory adds nothing and hides nothing."""

    def constructor(self):
        raise LookupError("broken")

    with pytest.raises(LookupError, match="broken"):
        made_by(logger, constructor)
