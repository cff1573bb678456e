"""The schema that messages are checked against is that of the declarations."""

from __future__ import annotations

import pytest
from jsonschema import Draft7Validator

from tests.editors.dap_schema import SCHEMA, current, schema_of


def check_type(declared: str, schema: object) -> None:
    """A property of a declared type has a schema."""
    text = f"export declare module DebugProtocol {{ interface A {{ a?: {declared}; }} }}"
    assert schema_of(text)["definitions"]["A"]["properties"]["a"] == schema


def test_the_schema_has_not_drifted_from_the_declarations() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == current()


def test_the_schema_is_one() -> None:
    schema = schema_of(
        "export declare module DebugProtocol { interface Request { seq: number; }"
        " /** Says hello. */ interface HelloRequest extends Request { // command: 'hello';\n"
        " // a note\n arguments: any; } interface HelloResponse extends Request { } }"
    )
    Draft7Validator.check_schema(schema)
    assert schema["definitions"]["HelloRequest"] == {
        "type": "object",
        "required": ["arguments", "seq"],
        "properties": {"arguments": {}, "command": {"const": "hello"}, "seq": {"type": "number"}},
    }
    assert schema["definitions"]["HelloResponse"]["properties"]["command"] == {"const": "hello"}


@pytest.mark.parametrize(
    ("declared", "schema"),
    [
        ("any", {}),
        ("number | string", {"type": ["number", "string"]}),
        ("string | null", {"type": ["string", "null"]}),
        ("'a' | 'b'", {"enum": ["a", "b"]}),
        ("'a' | string", {"type": "string", "examples": ["a"]}),
        ("B[][]", {"type": "array", "items": {"type": "array", "items": {"$ref": "B"}}}),
        ("('a' | 'b')[]", {"type": "array", "items": {"enum": ["a", "b"]}}),
        ("A | B", {"anyOf": [{"$ref": "A"}, {"$ref": "B"}]}),
        ("{ [key: string]: any; }", {"type": "object", "additionalProperties": {}}),
        (
            "{ b: string; a?: boolean; }",
            {
                "type": "object",
                "required": ["b"],
                "properties": {"a": {"type": "boolean"}, "b": {"type": "string"}},
            },
        ),
    ],
)
def test_a_type_becomes_a_schema(declared: str, schema: object) -> None:
    check_type(declared, _with_paths(schema))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("interface A { }", "expected `export`, found `interface`"),
        ("export declare module DebugProtocol { interface A { a: B<C>; } }", "found `<C>; } }`"),
        ("export declare module DebugProtocol {", "found the end"),
    ],
)
def test_declarations_written_in_another_way_are_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match="expected") as caught:
        schema_of(text)
    assert words in str(caught.value)


def _with_paths(schema: object) -> object:
    """The names of definitions as references spell them."""
    if isinstance(schema, list):
        return [_with_paths(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    full = {key: _with_paths(value) for key, value in schema.items()}
    return {**full, "$ref": f"#/definitions/{full['$ref']}"} if "$ref" in full else full
