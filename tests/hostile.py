"""Texts that nobody would write, made of those that people wrote; and edits of them."""

from __future__ import annotations

from random import Random

from ipu_asm.isa import load_isa
from tests.programs import example_kernels, instruction_examples
from tests.vectors import records

# Put into a text, each of these makes another reader of bytes or lines stumble.
SPLINTERS = (
    "\0", "\f", "\v", "\r", "\n", "\r\n", "\n\r", "\t", "\x1b", "\x7f", "\x85", "\xa0", "\u2028",
    "\ufeff", "\ud800", "\udcff", "\U0001f600", "\u00e9", "\u0660", "\uff11",
    ";", ";;", ";;;", "; ;", ":", "::", "a:", "x:\n", "#", "//", "/", "/*", "*/", "# ;;\n",
    ",", "@", "+", "-", "+-1", ".", "..", "[", "]", "=", "|", "&", "`", "'", '"', "\\", "%", "$",
    "0x", "010", "1__0", "70000", "-40000", "+1", "-1", "+99999", "lr0", "lr16", "LR3", "cr0", "r0",
    "acc", "ACC", "acc.frist", "incr lr0 1", "b x", "x: b x;;", "set lr1 1;", "bkpt;;", "sum",
    "# ipu: ignore[E001]\n", "# ipu: ignore-file[E101, nonsense]\n", "; ipu: ignore[x]\n",
    "AB[0]", "RELU|BIAS", "desc=", "SYNC", "NOP 1\n", "isa: edgenpu",
)  # fmt: skip
_LONGEST = 20_000


def seeds(isa: str) -> list[str]:
    """Programs that people or generators wrote on purpose, in an instruction set."""
    if isa != "ipu":
        specs = load_isa(isa).instructions.values()
        examples = [spec.doc.example for spec in specs if spec.doc.example]
        return [*examples, "\n".join(examples) + "\n", "start:\n" + "\n".join(examples)]
    kernels = list(example_kernels().values())
    recorded = [record["asm"] for kind in ("encode", "reject") for record in records(kind)]
    return [*kernels, *instruction_examples().values(), *recorded]


def mutated(random: Random, text: str, others: list[str]) -> str:
    """The text with one to four changes, some of them to its bytes."""
    for _ in range(random.randint(1, 4)):
        text = random.choice(_MUTATIONS)(random, text, others)
    return text[:_LONGEST]


def noise(random: Random) -> str:
    """A text of splinters alone."""
    return "".join(random.choices(SPLINTERS, k=random.randrange(1, 40)))


def _stretch(random: Random, text: str, most: int = 40) -> tuple[int, int]:
    start = random.randint(0, len(text))
    return start, min(len(text), start + random.randint(0, most))


def _put_in(random: Random, text: str, _: list[str]) -> str:
    start, end = _stretch(random, text, 3)
    return text[:start] + random.choice(SPLINTERS) + text[end:]


def _take_out(random: Random, text: str, _: list[str]) -> str:
    start, end = _stretch(random, text)
    return text[:start] + text[end:]


def _double(random: Random, text: str, _: list[str]) -> str:
    start, end = _stretch(random, text)
    return text[:end] + text[start:end] * random.choice((1, 1, 2, 30)) + text[end:]


def _move(random: Random, text: str, _: list[str]) -> str:
    start, end = _stretch(random, text)
    rest = text[:start] + text[end:]
    place = random.randint(0, len(rest))
    return rest[:place] + text[start:end] + rest[place:]


def _join(random: Random, text: str, others: list[str]) -> str:
    other = random.choice(others)
    return text[: random.randint(0, len(text))] + other[random.randint(0, len(other)) :]


def _harm_bytes(random: Random, text: str, _: list[str]) -> str:
    content = bytearray(text.encode("utf-8", "surrogatepass"))
    for _number in range(random.randint(1, 4)):
        if content:
            content[random.randrange(len(content))] = random.randrange(256)
    return content.decode("utf-8", random.choice(("surrogateescape", "replace", "ignore")))


def _change_line_breaks(random: Random, text: str, _: list[str]) -> str:
    old, new = random.sample(("\n", "\r\n", "\r", " ", "\n\n", ";;\n"), 2)
    return text.replace(old, new)


def _change_everywhere(random: Random, text: str, _: list[str]) -> str:
    words = text.split() or [""]
    return text.replace(random.choice(words), random.choice(SPLINTERS))


_MUTATIONS = (
    _put_in, _put_in, _put_in, _take_out, _take_out, _double, _move, _join,
    _harm_bytes, _harm_bytes, _change_line_breaks, _change_everywhere,
)  # fmt: skip
