"""Makes `tests/data/dap/schema.json` of the declarations of the Debug Adapter Protocol.

    python tests/editors/dap_schema.py

The declarations are TypeScript, in the npm package `@vscode/debugprotocol`, which `install.py` has
fetched. What comes out are names, types, required properties and enumerations, sorted; no texts.
A message has all the properties of what it extends, and says what it is by constants.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, Final, Iterator

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.editors.install import command

Json = dict[str, Any]

SCHEMA: Final = Path(__file__).parents[1] / "data" / "dap" / "schema.json"
DECLARATIONS: Final = "@vscode/debugprotocol/lib/debugProtocol.d.ts"

_WIDTH = 100
_PRIMITIVES: Final = {
    "any": {},
    "boolean": {"type": "boolean"},
    "null": {"type": "null"},
    "number": {"type": "number"},
    "string": {"type": "string"},
}
_KINDS = {"Request": "command", "Response": "command", "Event": "event"}

# A property of constant value is declared in a comment: `// command: 'cancel';`.
_TOKEN = re.compile(
    r"(?P<skipped>\s+|/\*.*?\*/|//(?! \w+: '\w+';)[^\n]*)|(?P<constant>// \w+: '\w+';)"
    r"|(?P<string>'[^'\n]*')|(?P<word>\w+)|(?P<mark>[{}()\[\]:;|?=])",
    re.DOTALL,
)


def current() -> str:
    """What the file must say, by the declarations that are installed."""
    declarations = command("debugadapter-testsupport") / DECLARATIONS
    return written(schema_of(declarations.read_text(encoding="utf-8"))) + "\n"


def schema_of(declarations: str) -> Json:
    """The JSON schema of a text of declarations.

    Raises `ValueError` where that is written in a way not known here.
    """
    raw = _Reader(declarations).module()
    messages = {name: _flattened(name, raw) for name in raw}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": {name: _with_constants(name, messages[name]) for name in sorted(messages)},
    }


def written(value: Any, before: str = "", indent: str = "") -> str:
    """JSON with everything that fits on a line on one, after what stands `before` it there."""
    line = before + json.dumps(value)
    if len(indent) + len(line) < _WIDTH or not isinstance(value, dict | list) or not value:
        return indent + line
    items = (
        [(f"{json.dumps(key)}: ", item) for key, item in value.items()]
        if isinstance(value, dict)
        else [("", item) for item in value]
    )
    start, end = "{}" if isinstance(value, dict) else "[]"
    lines = ",\n".join(written(item, key, indent + "  ") for key, item in items)
    return f"{indent}{before}{start}\n{lines}\n{indent}{end}"


class _Reader:
    """Reads the part of TypeScript that the declarations are written in."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._next = 0

    def module(self) -> dict[str, Json]:
        self._expect("export", "declare", "module", "DebugProtocol", "{")
        definitions: dict[str, Json] = {}
        while not self._accept("}"):
            kind, name = self._take(), self._take()
            definitions[name] = self._interface() if kind == "interface" else self._alias()
        return definitions

    def _interface(self) -> Json:
        base = self._take() if self._accept("extends") else ""
        self._expect("{")
        return {"extends": base, **self._members()}

    def _alias(self) -> Json:
        self._expect("=")
        value = self._union()
        self._expect(";")
        return value

    def _members(self) -> Json:
        properties: Json = {}
        required: list[str] = []
        while not self._accept("}"):
            if self._accept("["):
                self._expect("key", ":", "string", "]", ":")
                value = self._union()
                self._expect(";", "}")
                return {"type": "object", "additionalProperties": value}
            name = self._take()
            if name.startswith("//"):
                _, name, constant = name.split(" ")
                properties[name[:-1]] = {"const": constant[1:-2]}
                continue
            if not self._accept("?"):
                required.append(name)
            self._expect(":")
            properties[name] = self._union()
            self._expect(";")
        return _object(properties, required)

    def _union(self) -> Json:
        members = [self._array()]
        while self._accept("|"):
            members.append(self._array())
        return members[0] if len(members) == 1 else _joined(members)

    def _array(self) -> Json:
        value = self._single()
        while self._accept("["):
            self._expect("]")
            value = {"type": "array", "items": value}
        return value

    def _single(self) -> Json:
        token = self._take()
        if token == "{":
            return self._members()
        if token == "(":
            value = self._union()
            self._expect(")")
            return value
        if token.startswith("'"):
            return {"enum": [token[1:-1]]}
        return _PRIMITIVES.get(token, {"$ref": f"#/definitions/{token}"})

    def _accept(self, token: str) -> bool:
        found = self._tokens[self._next : self._next + 1] == [token]
        self._next += found
        return found

    def _expect(self, *tokens: str) -> None:
        for token in tokens:
            if (found := self._take()) != token:
                raise ValueError(f"expected `{token}`, found `{found}`")

    def _take(self) -> str:
        if self._next == len(self._tokens):
            raise ValueError("expected more declarations, found the end")
        self._next += 1
        return self._tokens[self._next - 1]


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ValueError(f"expected a declaration, found `{text[at : at + 20]}`")
        if match.lastgroup != "skipped":
            yield match.group()
        at = match.end()


def _object(properties: Json, required: list[str]) -> Json:
    value: Json = {"type": "object"}
    if required:
        value["required"] = sorted(required)
    return {**value, "properties": {name: properties[name] for name in sorted(properties)}}


def _joined(members: list[Json]) -> Json:
    """A union: of values, of types, or of definitions. Where any string will do, the named ones
    are examples."""
    named = [value for member in members for value in member.get("enum", ())]
    if named:
        open_ended = _PRIMITIVES["string"] in members
        return {"type": "string", "examples": named} if open_ended else {"enum": named}
    if all(set(member) == {"type"} for member in members):
        return {"type": [member["type"] for member in members]}
    return {"anyOf": members}


def _flattened(name: str, raw: dict[str, Json]) -> Json:
    """A definition with the properties of what it extends; its own win."""
    own = raw[name]
    if not own.get("extends"):
        return {key: value for key, value in own.items() if key != "extends"}
    base = _flattened(own["extends"], raw)
    required = {*base.get("required", ()), *own.get("required", ())}
    return _object({**base["properties"], **own["properties"]}, sorted(required))


def _with_constants(name: str, definition: Json) -> Json:
    """A message with its command in it where the declarations leave that to its name."""
    stem = name.removesuffix("Response")
    if stem in ("", "Error", name):
        return definition
    command = {"const": stem[0].lower() + stem[1:]}
    return {**definition, "properties": {**definition["properties"], "command": command}}


def main() -> int:
    """Writes the file anew."""
    SCHEMA.write_text(current(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
