"""A call by a client that a server may ask for everything: the disturbance `wire:asking`, in the later revision.

Where the server asks, the call is retried with answers that decline, and with the server's `requestState` as it was given or
changed. Each retry follows a call of its own, since a server may take a state once only.
"""

from typing import Any, Final

from .connection import Answer
from .opening import PREFIX, Session
from .stimuli import Observed, call_members

CAPABILITIES: Final[dict[str, Any]] = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}}
"""The capabilities that this client declares."""
_ASKABLE: Final = {f"{PREFIX}clientCapabilities": CAPABILITIES}
_DECLINED: Final[dict[Any, dict[str, Any]]] = {
    "elicitation/create": {"action": "decline"},
    "roots/list": {"roots": []},
    "sampling/createMessage": {
        "role": "assistant",
        "content": {"type": "text", "text": ""},
        "model": "none",
        "stopReason": "endTurn",
    },
}
"""The answer that declines each request; a model cannot decline, so its text is empty."""
_NEXT: Final = str.maketrans(
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "1234567890bcdefghijklmnopqrstuvwxyzaBCDEFGHIJKLMNOPQRSTUVWXYZA",
)
"""Another character of the same sort, so that a readable state stays readable."""


def asking(session: Session, tool: str, arguments: str | None) -> Observed:
    """A plain call, and the same one by a client that can be asked.

    The response is that to the latter, and the first of the other messages is that to the former. If the server asks, the
    responses to the retries follow: two with its own state, and then one with each changed state, where it gave any.

    Raises:
        ValueError: the arguments are no JSON.
    """
    plain = _called(session, call_members(session, tool, arguments))
    first = _called(session, call_members(session, tool, arguments, _ASKABLE))
    if not (plain.response.text and first.response.text):
        return Observed(None, [*plain.others, *first.others], first.response.http)
    others = [plain.response.text, *plain.others, *first.others]
    input_request = _input_required(first)
    retries = 2 + len(_changed_states(_state(input_request))) if input_request else 0
    for number in range(retries):
        latest = _input_required(_called(session, call_members(session, tool, arguments, _ASKABLE)))
        if latest is None:
            break
        states = [_state(latest), _state(latest), *_changed_states(_state(latest))]
        answer = _called(
            session, call_members(session, tool, arguments, _ASKABLE, _declining(latest, states[number]))
        )
        others += [answer.response.text, *answer.others] if answer.response.text else answer.others
    return Observed(first.response.text or None, others, first.response.http)


def _called(session: Session, members: str) -> Answer:
    return session.connection.wait_for(session.connection.send_request("tools/call", members))


def _input_required(answer: Answer) -> dict[str, Any] | None:
    """The result by which a server asks; None where it does not."""
    result = answer.result
    return result if isinstance(result, dict) and result.get("resultType") == "input_required" else None


def _state(input_request: dict[str, Any]) -> str | None:
    state = input_request.get("requestState")
    return state if isinstance(state, str) else None


def _declining(input_request: dict[str, Any], state: str | None) -> dict[str, Any]:
    """The further params of a retry."""
    requests = input_request.get("inputRequests")
    pairs = requests.items() if isinstance(requests, dict) else ()
    methods = {name: entry.get("method") if isinstance(entry, dict) else None for name, entry in pairs}
    responses = {name: _DECLINED.get(str(method), {}) for name, method in methods.items()}
    return {"inputResponses": responses} | ({} if state is None else {"requestState": state})


def _changed_states(state: str | None) -> list[str]:
    """A state with its last digit changed, with the character in its middle changed, and cut off; none for an empty one."""
    if not state:
        return []
    places = [place for place, character in enumerate(state) if character.translate(_NEXT) != character]
    digits = [place for place in places if state[place].isdigit()]
    flipped = [_flipped(state, place) for place in (*digits[-1:], *places[len(places) // 2 :][:1])]
    return list(dict.fromkeys([*flipped, state[: len(state) * 3 // 4]]))


def _flipped(state: str, place: int) -> str:
    return state[:place] + state[place].translate(_NEXT) + state[place + 1 :]
