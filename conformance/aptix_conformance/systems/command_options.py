"""Options that several commands have. It imports nothing heavy, since `check` loads as little as it can before it forbids plugins."""

import argparse


def add_repeatable(parser: argparse.ArgumentParser, option: str, metavar: str, text: str) -> None:
    """Declare an option that may be given several times; its value is a list, and `text` its help."""
    parser.add_argument(option, metavar=metavar, action="append", default=[], help=f"{text} (repeatable)")


def add_variable(parser: argparse.ArgumentParser) -> None:
    """Declare the option of commands that read a client's file: which variables of the environment it may name."""
    text = "a variable of your environment that the file may name; others are withheld"
    add_repeatable(parser, "--variable", "NAME", text)
