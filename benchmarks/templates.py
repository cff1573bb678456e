"""An edit of a template of 1,000 bundles, held against the same edit of its expansion."""

from __future__ import annotations

from itertools import cycle

from benchmarks import timing
from benchmarks.report import Target, milliseconds, number, print_table
from benchmarks.timing import Action
from ipu_asm import load_isa
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.source.expand import expand

EDIT_RATIO = 2.0
"""How many times as long as in the expansion as a plain file an edit may take."""

_ISA = load_isa("ipu")

_WRITTEN_OUT = (
    "".join(f'{{% set k{n} = "lr{n}" %}} {{# counter {n} #}}\n' for n in range(12))
    + "".join(
        f"incr {{{{ k{n % 12} }}}} {n % 100}; set {{{{ k{(n + 1) % 12} }}}} 7;;\n"
        for n in range(1_000)
    )
    + "bkpt;;\n"
)
_LOOP = (
    '{% set k = "lr3" %}\n{% for row in range(250) %}\nset {{ k }} {{ row }};;\nincr lr4 1;;\n'
    "acc;;\nincr lr5 {{ row % 7 }};;\n{% endfor %}\nbkpt;;\n"
)

# The template, what is replaced in its middle, and by what.
_EDITS = {
    "written out, literal text": (_WRITTEN_OUT, "7;;\n", "8;;\n"),
    "written out, an output": (_WRITTEN_OUT, "{{ k3 }}", "{{ k4 }}"),
    "a loop, literal text": (_LOOP, "acc;;", "aaq;;"),
    "a loop, an output": (_LOOP, "row % 7", "row % 8"),
}


def run(quick: bool = False) -> list[Target]:
    """Measure all edits, print the medians and return the ratios."""
    rows, targets = [], []
    for name, (text, old, new) in _EDITS.items():
        at = text.index(old, len(text) // 2)
        edited = text[:at] + new + text[at + len(old) :]
        plain, plain_edited = (expand(_ISA.surface, each)[0].text for each in (text, edited))
        actions = {"template": _edits(text, edited), "plain": _edits(plain, plain_edited)}
        timing.interleave(4, actions)
        seconds = timing.interleave(10 if quick else 40, actions)
        ours, theirs = (timing.median(seconds[each]) for each in ("template", "plain"))
        rows.append((name, milliseconds(ours), milliseconds(theirs), number(ours / theirs)))
        targets.append(Target(f"edit of a template, {name}", ours / theirs, EDIT_RATIO))
    print_table("an edit of a template, median ms", ("edit", "template", "plain", "ratio"), rows)
    return targets


def _edits(text: str, edited: str) -> Action:
    """Return what changes a text to and fro, and says how long the analysis took."""
    analyzer = Analyzer(_ISA)
    analysis = analyzer.analyze(text)
    texts = cycle((edited, text))

    def edit() -> float:
        def analyze() -> None:
            nonlocal analysis
            analysis = analyzer.analyze(next(texts), None, analysis)

        return timing.timed(analyze)

    return edit


if __name__ == "__main__":
    print(*run(), sep="\n")
