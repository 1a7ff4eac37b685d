import logging

import pytest

from aptix_harness import LoggingAdminLogger, LogLevel
from aptix_harness.logger import ContainedLogger


def test_exception_is_logged_with_tag_pairs_and_traceback(caplog):
    """The record has the tag, the pairs and the exception."""
    error = ValueError("bad")
    LoggingAdminLogger().add_exception("[Tag]", error, ("SessionId", "s1"))
    (record,) = caplog.records
    assert record.levelno == logging.ERROR
    assert record.getMessage() == "'[Tag]' 'SessionId'='s1'"
    assert record.exc_info[1] is error


def test_error_is_logged_at_error(caplog):
    """The record has tag and message."""
    LoggingAdminLogger().add_error("[Tag]", "went wrong")
    (record,) = caplog.records
    assert (record.levelno, record.getMessage()) == (logging.ERROR, "'[Tag]' 'went wrong'")


@pytest.mark.parametrize(
    ("level", "standard"),
    [
        (LogLevel.VERBOSE, logging.DEBUG),
        (LogLevel.MESSAGE, logging.INFO),
        (LogLevel.WARNING, logging.WARNING),
        (LogLevel.ERROR, logging.ERROR),
    ],
)
def test_custom_event_is_logged_at_the_level_that_answers_to_its_own(caplog, level, standard):
    """Each level of the contract has its level in logging."""
    caplog.set_level(logging.DEBUG)
    LoggingAdminLogger().add_custom_event(level, "[Tag]", "happened", [("Payload", "p")])
    (record,) = caplog.records
    assert (record.levelno, record.getMessage()) == (standard, "'[Tag]' 'happened' 'Payload'='p'")


def test_trace_is_logged_at_debug_to_the_logger_given(caplog):
    """A logger that the caller gives is used."""
    caplog.set_level(logging.DEBUG, logger="mine")
    LoggingAdminLogger(logging.getLogger("mine")).trace("registered", ("ToolName", "t"))
    (record,) = caplog.records
    assert (record.name, record.levelno) == ("mine", logging.DEBUG)
    assert record.getMessage() == "'registered' 'ToolName'='t'"


def test_hostile_text_cannot_forge_a_line_of_the_log(caplog):
    """Line ends and lone surrogates are escaped, in tags, messages, names and values."""
    hostile = "x\nERROR forged \ud800"
    LoggingAdminLogger().add_error(hostile, hostile, (hostile, hostile))
    message = caplog.records[0].getMessage()
    assert "\n" not in message
    assert message.isascii()


def test_contained_logger_passes_everything_on(logger):
    """The logger behind it gets the same arguments."""
    error = ValueError()
    contained = ContainedLogger(logger)
    contained.add_exception("[Tag]", error, ("a", "b"))
    contained.add_error("[Tag]", "message", ("a", "b"))
    contained.trace("message", ("a", "b"))
    assert logger.calls == [
        ("add_exception", "[Tag]", error, ("a", "b")),
        ("add_error", "[Tag]", "message", ("a", "b")),
        ("trace", "message", ("a", "b")),
    ]


def test_contained_logger_reports_a_broken_log_and_what_it_did_not_take(broken_logger, caplog):
    """Nothing is raised; Python's log has the failure and the lost entry."""
    contained = ContainedLogger(broken_logger)
    contained.add_exception("[Tag]", ValueError("lost exception"))
    contained.add_error("[Tag]", "lost error")
    contained.trace("lost trace")
    assert "no log" in caplog.text
    for lost in ("lost exception", "lost error", "lost trace"):
        assert lost in caplog.text


def test_what_a_broken_log_did_not_take_is_escaped(broken_logger, caplog):
    """The way around a broken log cannot be forged either."""
    contained = ContainedLogger(broken_logger)
    contained.add_exception("x\nforged", ValueError())
    contained.add_error("x\nforged", "x\nforged")
    contained.trace("x\nforged")
    assert [record.getMessage() for record in caplog.records if "\n" in record.getMessage()] == []
