"""A refusal has the traceback of the exception; the fixed server says only what was wrong."""

import json
import traceback

from pair import FAULTY, described, failure, serve, text

SKILLS = {"summarise": "Writes a summary.", "translate": "Writes a translation."}


def show(name):
    try:
        return text(SKILLS[name])
    except KeyError:
        said = {"status": "error", "message": "There is no such skill."}
        return failure(json.dumps(said | {"traceback": traceback.format_exc(limit=5)} if FAULTY else said))


NAME = {
    "type": "string",
    "description": "The name of the skill, such as summarise.",
    "examples": list(SKILLS),
}

if __name__ == "__main__":
    serve(described("show_skill", "Shows what a skill does.", {"name": NAME}, ["name"]), show)
