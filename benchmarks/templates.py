"""An edit of a template of 1,000 bundles, compared with Jinja and an edit of its expansion."""

from __future__ import annotations

import time
from itertools import cycle

import jinja2

from benchmarks import timing
from benchmarks.report import Target, milliseconds, number, print_table
from benchmarks.timing import Action
from ipu_asm import load_isa
from ipu_asm.analysis.analyzer import Analyzer

EDIT_RATIO = 2.0
"""How many times as long as Jinja and an edit of the expansion as a plain file together."""

_ISA = load_isa("ipu")

# Texts without findings: each of hundreds would be lifted.
_WRITTEN_OUT = (
    "".join(f'{{% set k{n} = "lr{n}" %}} {{# counter {n} #}}\n' for n in range(12))
    + "".join(
        f"incr {{{{ k{n % 12} }}}} {n % 100}; incr {{{{ k{(n + 1) % 12} }}}} 7;;\n"
        for n in range(1_000)
    )
    + "bkpt;;\n"
)
_LOOP = (
    '{% set k = "lr3" %}\n{% for row in range(250) %}\nincr {{ k }} {{ row }};;\nincr lr4 1;;\n'
    "acc;;\nincr lr5 {{ row % 7 }};;\n{% endfor %}\nbkpt;;\n"
)

_ROUNDS = 40
# The template, what is replaced in its middle, and by what, one after the other.
_EDITS = {
    "written out, literal text": (_WRITTEN_OUT, " 7;;\n", [" 8;;\n", " 7;;\n"]),
    "written out, an output": (_WRITTEN_OUT, "{{ k3 }}", ["{{ k4 }}", "{{ k3 }}"]),
    "written out, a new expression": (
        _WRITTEN_OUT,
        "{{ k3 }}",
        [f'{{{{ "lr%d" % ({n} % 16) }}}}' for n in range(_ROUNDS + 4)],
    ),
    "a loop, literal text": (_LOOP, "acc;;", ["aaq;;", "acc;;"]),
    "a loop, an output": (_LOOP, "row % 7", ["row % 8", "row % 7"]),
    "a loop, a new expression": (_LOOP, "row % 7", [f"row % {n + 8}" for n in range(_ROUNDS + 4)]),
}


def run(quick: bool = False) -> list[Target]:
    """Measure all edits, print the medians and return the ratios."""
    rows, targets = [], []
    for name, (text, old, new) in _EDITS.items():
        at = text.index(old, len(text) // 2)
        texts = [text[:at] + each + text[at + len(old) :] for each in new]
        plain = [Analyzer(_ISA).analyze(each).expanded[0].expansion.text for each in texts]
        actions = {
            "template": _edits(texts),
            "jinja": _renderings(texts),
            "plain": _edits(plain),
        }
        timing.interleave(4, actions)
        seconds = timing.interleave(10 if quick else _ROUNDS, actions)
        ours, *theirs = (timing.median(seconds[each]) for each in actions)
        ratio = ours / sum(theirs)
        rows.append((name, *map(milliseconds, (ours, *theirs)), number(ratio)))
        targets.append(Target(f"edit of a template, {name}", ratio, EDIT_RATIO))
    header = ("edit", "template", "jinja", "plain", "ratio")
    print_table("an edit of a template, median ms of the processor", header, rows)
    return targets


def _renderings(texts: list[str]) -> Action:
    """Return what renders the next text by Jinja alone, and says how long that took."""
    following = cycle(texts)

    def rendering() -> float:
        text = next(following)
        start = time.thread_time()
        jinja2.Environment(cache_size=0).from_string(text).render()
        return time.thread_time() - start

    return rendering


def _edits(texts: list[str]) -> Action:
    """Return what makes the next text of the last one, and says how long the analysis took."""
    analyzer = Analyzer(_ISA)
    analysis = analyzer.analyze(texts[-1])
    following = cycle(texts)

    def edit() -> float:
        nonlocal analysis
        text = next(following)
        start = time.thread_time()
        analysis = analyzer.analyze(text, None, analysis)
        return time.thread_time() - start

    return edit


if __name__ == "__main__":
    print(*run(), sep="\n")
