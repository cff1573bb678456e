"""The expansion as a text to read."""

from __future__ import annotations

from ipu_asm.analysis.analyzer import Analyzer, analyze
from ipu_asm.ide.listing import expansion_view
from ipu_asm.isa import load_isa
from ipu_asm.source.expansion import SourceSettings

TEXT = "{% for x in range(rows) %}\n    set lr{{ x }} 0;;\n{% endfor %}\nbkpt;;\n"


def test_each_line_of_an_expansion_was_written_somewhere() -> None:
    settings = SourceSettings(contexts=({"rows": 2}, {"rows": 3}))
    analysis = Analyzer(load_isa("ipu")).analyze(TEXT, settings=settings)
    view = expansion_view(analysis, 1)
    written = [line and line.line for line in view.lines]
    shown = dict(zip(view.text.splitlines(), written))
    assert shown == {**{f"    set lr{n} 0;;": 1 for n in range(3)}, "": 2, "bkpt;;": 3}
    assert view.contexts == ("rows=2", "rows=3")
    assert view.context == "rows=3"


def test_a_context_that_does_not_exist_means_the_first_one() -> None:
    analysis = analyze("{% set a = 1 %}acc;;")
    assert expansion_view(analysis, 7) == expansion_view(analysis, -1) == expansion_view(analysis)


def test_an_expansion_has_a_place_for_each_line() -> None:
    for text in ("", "\n", "{{ 1 }}", "{% if %}", "{% set a = 1 %}\r\nacc;;\r\n", "acc;;\n\n"):
        view = expansion_view(analyze(text))
        assert len(view.lines) == view.text.count("\n") + 1
