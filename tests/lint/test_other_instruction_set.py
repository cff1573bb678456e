"""A program for another instruction set of the language has one hint, which says for which."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.analysis.doubtful_isa import with_isa_hint
from ipu_asm.config.isa_choice import IsaChoice
from ipu_asm.diagnostics import Applicability
from ipu_asm.isa import available_isas, load_isa, manifests
from tests.vectors import records

ROOT = Path(__file__).resolve().parents[2]
IPU2_KERNEL = (ROOT / "examples" / "ipu2" / "elementwise_multiply.s").read_text(encoding="utf-8")
IPU_KERNEL = (ROOT / "examples" / "elementwise_multiply.s").read_text(encoding="utf-8")
WITHOUT_COMMENT = IPU2_KERNEL.replace("# isa: ipu2\n", "")


def implied(analyzer: Analyzer, text: str) -> Analysis:
    """The analysis of a text that a configuration or an extension gives its set."""
    return with_isa_hint(analyzer.analyze(text), IsaChoice(analyzer.isa.name, "ipu.toml"))


def check_hint(text: str, isa: str, other: str | None) -> None:
    """The findings of a text read as one of a set are one hint at another, or there is none."""
    analysis = implied(Analyzer(load_isa(isa)), text)
    names = [finding.name for finding in analysis.diagnostics]
    if other is None:
        assert "other-instruction-set" not in names
        return
    assert names == ["other-instruction-set"]
    (finding,) = analysis.diagnostics
    assert f"`# isa: {other}`" in finding.message
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.DISPLAY


def test_a_kernel_of_another_set_has_one_hint() -> None:
    check_hint(WITHOUT_COMMENT, "ipu", "ipu2")
    check_hint(IPU_KERNEL, "ipu2", "ipu")
    check_hint("\ufeff" + WITHOUT_COMMENT * 40, "ipu", "ipu2")


def test_a_template_of_another_set_has_one_hint() -> None:
    loop = "{% for n in range(3) %}\n    AGG.MAX lr0 cr{{ n }}; MULT.RC.VS lr0 0 lr1 cr15;;\n"
    check_hint(f"{loop}{{% endfor %}}\n    BKPT;;\n", "ipu", "ipu2")


def test_a_kernel_of_its_own_set_has_none() -> None:
    check_hint(WITHOUT_COMMENT, "ipu2", None)
    check_hint(IPU_KERNEL, "ipu", None)
    check_hint("ACC.ADD;; incr lr0 1;; acc;; AGG.SUM lr0 cr15;;", "ipu", None)
    check_hint("inc lr0 1;; dec lr0 1;; nop;; bgt lr0 lr1 +0;;", "ipu", None)
    check_hint("", "ipu", None)


@pytest.mark.parametrize(("kind", "own", "other"), [("", "ipu", "ipu2"), ("ipu2_", "ipu2", "ipu")])
def test_recorded_programs_are_taken_for_those_of_their_set(
    kind: str, own: str, other: str
) -> None:
    analyzers = {name: Analyzer(load_isa(name)) for name in (own, other)}
    wrong, hinted, long = [], 0, 0
    for record in records(f"{kind}encode")[::15]:
        if any(
            finding.name == "other-instruction-set"
            for finding in implied(analyzers[own], record["asm"]).diagnostics
        ):
            wrong.append(record["id"])
        analysis = implied(analyzers[other], record["asm"])
        is_long = len(record["words"]) > 4
        long += is_long
        names = [finding.name for finding in analysis.diagnostics]
        hinted += is_long and names == ["other-instruction-set"]
    assert wrong == []
    assert long > 13
    assert hinted > 0.9 * long


@pytest.mark.parametrize("name", available_isas())
def test_telltales_are_mnemonics_that_only_one_set_has(name: str) -> None:
    manifest = manifests()[name]
    for other, each in manifests().items():
        if each.language_id == manifest.language_id:
            known = {mnemonic.lower() for mnemonic in load_isa(other).instructions}
            found = manifest.telltales & known
            expected = manifest.telltales if other == name else set()
            assert found == expected, f"{other} has them too: no telltales of {name}, or rename"


@pytest.mark.parametrize(
    ("name", "text", "absent"),
    [("ipu", IPU_KERNEL, "ipu2"), ("ipu", WITHOUT_COMMENT, "ipu2"), ("ipu2", IPU2_KERNEL, "ipu")],
)
def test_linting_a_file_of_one_set_loads_no_other(
    tmp_path: Path, name: str, text: str, absent: str
) -> None:
    path = tmp_path / "kernel.s"
    path.write_text(text, encoding="utf-8")
    code = (
        "import sys\nfrom ipu_asm.cli.lint import command\n"
        f"command.main([{str(path)!r}, '--isa', {name!r}, '--jobs', '1'])\n"
        f"prefix = 'ipu_asm.targets.{absent}.'\n"
        "print(sorted(m for m in sys.modules if m.startswith(prefix)))\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == f"['ipu_asm.targets.{absent}.manifest']"
