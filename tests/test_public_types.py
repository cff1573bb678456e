"""What the public functions say of arguments of a wrong type."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest

from ipu_asm import analyze, assemble, disassemble, load_isa

WORDS = "`disassemble` takes words, one int per bundle, found"
NAME = 'expected the name of an instruction set, such as "ipu", found'


def check_type_error(call: Callable[[], Any], message: str) -> None:
    """A call with an argument of a wrong type is refused in one sentence."""
    with pytest.raises(TypeError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("function", [assemble, analyze])
@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b"acc;;", "bytes; decode the bytes first"),
        (bytearray(b"acc;;"), "bytearray; decode the bytes first"),
        (None, "NoneType"),
        (["acc;;"], "list"),
        (Path("a.s"), "PosixPath"),
    ],
)
def test_a_program_is_a_text(function: Any, text: object, found: str) -> None:
    wanted = f"`{function.__name__}` takes the text of a program as a str"
    check_type_error(lambda: function(text), f"{wanted}, found {found}")


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("abc", "str"),
        (b"abc", "bytes"),
        (None, "NoneType"),
        (5, "int"),
        ([0, 1.5], "float as word 1"),
        (["acc"], "str as word 0"),
    ],
)
def test_words_are_integers(words: Any, found: str) -> None:
    check_type_error(lambda: disassemble(words), f"{WORDS} {found}")


def test_words_may_come_from_anywhere() -> None:
    words = assemble("acc;; bkpt;;")
    expected = disassemble(words)
    assert disassemble(iter(words)) == disassemble(tuple(words)) == expected
    assert disassemble(np.array(words, dtype=object)) == expected
    assert disassemble(np.zeros(1, dtype=np.int64)) == disassemble([0])


@pytest.mark.parametrize("isa", [None, 3, b"ipu"])
def test_an_instruction_set_is_named(isa: Any) -> None:
    message = f"{NAME} {type(isa).__name__}"
    for call in (load_isa, lambda i: assemble("", i), lambda i: analyze("", i)):
        check_type_error(lambda call=call: call(isa), message)  # type: ignore[misc]


def test_a_path_may_be_a_path() -> None:
    assert analyze("", path=Path("a.s")).source.path == "a.s"
    wrong: Any = 3
    message = "`path` is the path of a file, found int"
    check_type_error(lambda: analyze("", path=wrong), message)
