"""Whether a message is one of the Debug Adapter Protocol or of our own, strictly."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft7Validator

from ipu_lsp.transport import Json
from tests.debug_adapter.own_requests import DEFINITIONS

_SCHEMA = Path(__file__).parents[1] / "data" / "dap" / "schema.json"
_MAX_ERRORS = 3

# What a user may put anything into, and an adapter columns of its own.
_FREE_FORM: Final = {"LaunchRequestArguments", "AttachRequestArguments", "Module"}
# The declarations have one word for all numbers; the protocol has a fraction only here.
_FRACTIONS: Final = {"percentage"}
# "The value should be less than or equal to 2147483647."
_REFERENCES: Final = {
    "frameId", "indexedVariables", "namedVariables", "sourceReference", "variablesReference",
    "declarationLocationReference", "valueLocationReference", "locationReference",
}  # fmt: skip
_LARGEST_REFERENCE = (1 << 31) - 1


def check_message(message: Any) -> None:
    """Raises `AssertionError` with what is wrong with a message, if anything is.

    Stricter than the protocol: a property that it does not name, a body in a mere acknowledgement
    and a refusal without words are wrong too.
    """
    assert isinstance(message, dict), f"a message is an object, found {message!r}"
    name = _definition_of(message)
    assert name in _definitions(), f"the protocol has no `{name}`: {message}"
    found = sorted(_validator(name).iter_errors(message), key=lambda error: str(error.path))
    errors = [f"{error.json_path[2:]}: {error.message[-300:]}" for error in found[:_MAX_ERRORS]]
    assert not errors, f"{name}: {'; '.join(errors)}\n{json.dumps(message)[:2000]}"


def _definition_of(message: Json) -> str:
    kind = message.get("type")
    if kind == "response" and message.get("success") is False:
        # The protocol's own word for a request that was given up says all.
        return "Response" if message.get("message") == "cancelled" else "ErrorResponse"
    name = str(message.get("event" if kind == "event" else "command"))
    return f"{name[:1].upper()}{name[1:]}{str(kind).capitalize()}"


@lru_cache(None)
def _validator(name: str) -> Draft7Validator:
    pointer = f"#/definitions/{name.replace('/', '~1')}"
    return Draft7Validator({"$ref": pointer, "definitions": _definitions()})


@lru_cache(None)
def _definitions() -> Json:
    schema = json.loads(_SCHEMA.read_text(encoding="utf-8"))
    every = {**schema["definitions"], **DEFINITIONS}
    return {name: _strict(name, definition) for name, definition in every.items()}


def _strict(name: str, definition: Any) -> Any:
    """A definition, or the value of a property, that allows nothing but what it names."""
    if definition.get("type") == "number" and name not in _FRACTIONS:
        limits = {"minimum": 0, "maximum": _LARGEST_REFERENCE} if name in _REFERENCES else {}
        return {"type": "integer", **limits}
    if "items" in definition:
        return {**definition, "items": _strict(name, definition["items"])}
    if "properties" not in definition:
        return definition
    properties = {key: _strict(key, value) for key, value in definition["properties"].items()}
    strict = {**definition, "properties": properties}
    if name not in _FREE_FORM:
        strict["additionalProperties"] = False
    if name.endswith("Response") and properties.get("body") == {}:
        properties["body"] = {"type": "object", "maxProperties": 0}
    if name == "ErrorResponse":
        strict["required"] = [*definition["required"], "message"]
        properties["message"] = {"type": "string", "minLength": 1}
    return strict
