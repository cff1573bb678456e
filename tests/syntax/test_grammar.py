"""The parse tables and the driver that reads them, beside Lark reading the same grammar."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from functools import lru_cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest
from lark import Lark
from lark import Token as LarkToken
from lark import Tree as LarkTree
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

from ipu_asm.syntax.compile import START_SYMBOLS, module_text
from ipu_asm.syntax.grammar import DIRECTIVE, Grammar, Tree, grammar_folder, load_grammar
from tests.vectors import records

GRAMMARS = sorted(path.stem for path in Path(grammar_folder()).glob("*.lark"))
COMPILED = Path(sys.modules[Grammar.__module__].__file__ or "").parent / "compiled"
# What every surface has, what one of them has, and what none has.
PIECES = (
    "acc", "lr0", "-5", "+1", "0x1F", "loop", "AB", "desc", "9_", "_x.y", " ", "  ", "\t", "\n",
    "\r\n", "\r", ";", ";;", "; ", ":", ": ", ",", ", ", "|", "[", "]", "=", "# c\n", "// c ;;\n",
    "#", "//", "/", "@", "\f", "\0", "é", ".", "+", "-", "\ufeff",
)  # fmt: skip


@lru_cache
def lark_of(name: str) -> Lark:
    """Lark itself, with the grammar of that name."""
    text = grammar_text(name)
    return Lark(text, parser="lalr", lexer="basic", start=START_SYMBOLS, keep_all_tokens=True)


def grammar_text(name: str) -> str:
    return Path(grammar_folder(), f"{name}.lark").read_text(encoding="utf-8")


def check_parse(name: str, text: str, start: str = "bundle") -> bool:
    """We and Lark read the text alike: the same tree, or the same first token that is wrong."""
    grammar = load_grammar(name)
    words, places = grammar.words(text), grammar.spans(text)
    assert [text[first:stop] for first, stop in places] == list(words)
    shape = grammar.shape(words)
    numbers = {first: number for number, (first, _) in enumerate(places)}
    by_place = {
        first: grammar.terminal(letter)
        for (first, _), letter, word in zip(places, shape, words)
        if grammar.terminal(letter) == DIRECTIVE or word.isdigit()
    }
    expected = _read_by_lark(name, text, start, numbers, by_place)
    found = grammar.parse(shape, start)
    assert found == expected, text
    return isinstance(found, Tree)


def _read_by_lark(
    name: str, text: str, start: str, numbers: dict[int, int], by_place: dict[int, str]
) -> Tree | int:
    """Lark's tree with token numbers for tokens, or the number of the token it gives up at.

    What is a directive or a label in digits depends on its place, which no lexer of Lark's knows:
    `by_place` has their terminals.
    """
    lark = lark_of(name)
    parser = lark.parse_interactive("", start=start)
    try:
        for token in lark.lex(text):
            kind = by_place.get(token.start_pos or 0, token.type)
            token = LarkToken.new_borrow_pos(kind, token.value, token)
            parser.feed_token(token)
        feed_eof: Any = parser.feed_eof
        return _numbered(feed_eof(), numbers)
    except UnexpectedInput as error:
        if isinstance(error, UnexpectedToken) and error.token.type == "$END":
            return len(numbers)
        return numbers[error.pos_in_stream or 0]


def _numbered(node: LarkTree[Any], numbers: dict[int, int]) -> Tree:
    return Tree(
        str(node.data),
        tuple(
            numbers[child.start_pos or 0]
            if isinstance(child, LarkToken)
            else _numbered(child, numbers)
            for child in node.children
        ),
    )


def _apart_from_place(kind: str, word: str) -> str:
    """The kind of a token where its place does not count: a directive, or a label in digits."""
    return "WORD" if kind == DIRECTIVE or word.isdigit() else kind


def slices(name: str, text: str) -> list[str]:
    """The bundle slices of a text."""
    ends = list(load_grammar(name).ends_of_slices(text, 0))
    return [text[a:b] for a, b in zip([0, *ends], ends)]


def random_texts(count: int, seed: int) -> list[str]:
    """Short texts made of pieces: about half of them are something, the rest nearly."""
    random = Random(seed)
    return ["".join(random.choices(PIECES, k=random.randrange(1, 14))) for _ in range(count)]


@pytest.mark.parametrize("name", GRAMMARS)
@pytest.mark.parametrize("start", START_SYMBOLS)
def test_the_driver_reads_random_texts_as_lark_does(name: str, start: str) -> None:
    accepted = sum(check_parse(name, text, start) for text in random_texts(800, seed=1))
    assert accepted > 8


@pytest.mark.parametrize("name", GRAMMARS)
def test_tokens_and_their_kinds_are_those_of_larks_lexer(name: str) -> None:
    grammar = load_grammar(name)
    for text in random_texts(2000, seed=6):
        words = grammar.words(text)
        kinds = [grammar.terminal(letter) for letter in grammar.shape(words)]
        ours = [(_apart_from_place(kind, word), word) for kind, word in zip(kinds, words)]
        first_stray = next((n for n, (kind, _) in enumerate(ours) if kind == "STRAY"), len(ours))
        theirs: list[tuple[str, str]] = []
        with suppress(UnexpectedCharacters):
            lexed = lark_of(name).lex(text)
            theirs += ((_apart_from_place(token.type, token.value), token.value) for token in lexed)
        assert ours[:first_stray] == theirs, text


@pytest.mark.parametrize("name", GRAMMARS)
def test_the_driver_reads_all_short_sequences_of_tokens_as_lark_does(name: str) -> None:
    words = ["a", "5", ":", ";", ";;", ",", "|", "[", "]", "=", "\n", "@"]
    texts = [" ".join(sequence) for n in range(4) for sequence in product(words, repeat=n)]
    assert sum(check_parse(name, text) for text in texts) > 10


def test_the_driver_reads_every_bundle_of_the_recorded_programs_as_lark_does() -> None:
    bundles = {text for record in records("encode") for text in slices("ipu", record["asm"])}
    bundles = {text for text in bundles if load_grammar("ipu").words(text)}
    assert len(bundles) > 2000
    assert all(check_parse("ipu", text) for text in Random(2).sample(sorted(bundles), 2000))


def test_the_driver_reads_refused_and_damaged_bundles_as_lark_does() -> None:
    random = Random(3)
    for record in records("reject"):
        for text in slices("ipu", record["asm"])[:20]:
            check_parse("ipu", text)
            place = random.randrange(len(text) + 1)
            check_parse("ipu", text[:place] + random.choice(PIECES) + text[place:])
            check_parse("ipu", text[:place] + text[place + 3 :])


@pytest.mark.parametrize("name", GRAMMARS)
def test_slices_joined_are_the_text_and_end_only_at_end_marks(name: str) -> None:
    grammar = load_grammar(name)
    for text in random_texts(3000, seed=4):
        parts = slices(name, text)
        assert "".join(parts) == text
        # A comment holds no end mark, so the tokens of the whole say how many there are.
        ends = [grammar.terminal(letter) for letter in grammar.shape(grammar.words(text))]
        assert ends.count("END") in (len(parts), len(parts) - 1)
        for part in parts[:-1]:
            kinds = [grammar.terminal(letter) for letter in grammar.shape(grammar.words(part))]
            assert kinds.index("END") == len(kinds) - 1


@pytest.mark.parametrize("name", GRAMMARS)
def test_tokens_of_the_slices_are_the_tokens_of_the_text(name: str) -> None:
    grammar = load_grammar(name)
    for text in random_texts(3000, seed=5):
        parts = slices(name, text)
        assert grammar.words(text) == tuple(w for part in parts for w in grammar.words(part))


@pytest.mark.parametrize("name", GRAMMARS)
def test_the_tables_are_those_of_the_grammar(name: str) -> None:
    compiled = (COMPILED / f"{name}.py").read_text(encoding="utf-8")
    assert compiled == module_text(name, grammar_text(name)), (
        f"{name} is out of date: python -m ipu_asm.syntax.compile"
    )


def test_there_are_tables_for_every_grammar_and_no_others() -> None:
    compiled = sorted(path.stem for path in COMPILED.glob("*.py") if path.stem != "__init__")
    assert compiled == GRAMMARS


@pytest.mark.parametrize("seed", ["0", "1", "12345"])
def test_the_tables_are_the_same_in_every_process(seed: str) -> None:
    program = (
        "import sys; from ipu_asm.syntax.compile import module_text;"
        "sys.stdout.write(module_text('ipu', sys.stdin.read()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=grammar_text("ipu").encode(),
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"},
        capture_output=True,
        check=True,
        cwd=Path(__file__).resolve().parents[2],
    )
    assert done.stdout.decode().replace("\r\n", "\n") == module_text("ipu", grammar_text("ipu"))


def test_a_grammar_whose_tables_are_missing_or_old_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = grammar_text("ipu").replace('SEPARATOR: ";"', 'SEPARATOR: "&"')
    for name in ("ipu", "unheard_of"):
        (tmp_path / f"{name}.lark").write_text(changed, encoding="utf-8")
    monkeypatch.setattr("ipu_asm.syntax.grammar.grammar_folder", lambda: str(tmp_path))
    for name in ("ipu", "unheard_of"):
        grammar = load_grammar.__wrapped__(name)
        shape = grammar.shape(grammar.words("acc & b x ;;"))
        assert isinstance(grammar.parse(shape, "bundle"), Tree)


def test_words_that_are_equal_are_one_object() -> None:
    grammar = load_grammar("ipu")
    first, second = grammar.words("incr lr0 1;;"), grammar.words("set lr0 1;;")
    assert first[1] is second[1]
