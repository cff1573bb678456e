"""Which texts are plainly for another assembler, and which are ours however broken they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.analysis.analysis import Analysis
from ipu_asm.analysis.analyzer import Analyzer
from ipu_asm.analysis.doubtful_isa import with_isa_hint
from ipu_asm.cli.lint.command import main as lint
from ipu_asm.config.isa_choice import UNCLAIMED, IsaChoice, foreign_assembly
from ipu_asm.isa import load_isa
from tests.programs import documented_bundles, example_kernels, instruction_examples
from tests.vectors import records

FOREIGN = {
    "x86, AT&T": "\t.text\n\t.globl main\nmain:\n\tpushq %rbp\n\tmovl $1, %eax\n\tret\n",
    "x86, AT&T, one line": "    callq *%rax\n",
    "x86, Intel": ".intel_syntax noprefix\nmain:\n  xor eax, eax\n  ret\n",
    "x86, Intel, no directive": "main:  lea rdi, [rip + message]\n  call puts\n",
    "x86, NASM": "bits 64\nsection .text\n_start: mov rax, 60\nsyscall\n",
    "x86, a mask like a template's tag": "f: vmovdqu8 %zmm0, (%rdi){%k1}\n ret\n",
    "AArch64": "_main: stp x29, x30, [sp, #-16]!\n mov x29, sp\n ldp x29, x30, [sp], #16\n ret\n",
    "AArch64 vectors": "loop:\n fadd v0.4s, v1.4s, v2.4s\n b loop\n",
    "ARM": "main:\n push {r4, lr}\n ldr r0, =message\n bl puts\n pop {r4, pc}\n",
    "ARM, one line": "    bx lr\n",
    "RISC-V": "main:\n addi sp, sp, -16\n sd ra, 8(sp)\n li a0, 1\n ecall\n",
    "MIPS": "main:\n addiu $sp, $sp, -24\n jr $ra\n",
    "a licence first": "/*\n * Copyright\n */\n\n#include <asm.h>\n.section .rodata\nx: .quad 1\n",
}
OURS = {
    "nothing": "",
    "a comment about others": "# .text: addi sp, sp, -16 and movl %eax, %ebx\nacc\n",
    "commas": "mult.ee r0, lr0, lr1, lr2;\n",
    "a register and a directive": ".align 4\nset lr0 5\n",
    "an end mark and directives": ".text\nacc; bkpt;;\n",
    "a label with a dot": ".text: acc\n",
    "a word of both": "loop: b loop",
    "another set of ours": "CONV AB[1], WB[0], AB[2]\n.align 4\n",
    "prose": "this is no assembly, it says: .text is a section\n",
}


def check_foreign(text: str) -> bool:
    """Whether a text is called foreign; if so, its whole first line is, in a sentence with a way
    out.
    """
    hint = foreign_assembly(text)
    if hint is None:
        return False
    first = text[: hint.span.end].removeprefix("\ufeff")
    assert "\n" not in first
    assert text[hint.span.end : hint.span.end + 1] in ("", "\r", "\n")
    assert (hint.code, hint.name) == ("H102", "foreign-assembly")
    assert "`# isa: ipu`" in hint.message
    return True


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("line_break", ["\n", "\r\n"])
def test_files_of_other_processors_are_foreign(name: str, line_break: str) -> None:
    assert check_foreign(FOREIGN[name].replace("\n", line_break))
    assert check_foreign("\ufeff" + FOREIGN[name])


@pytest.mark.parametrize("name", OURS)
def test_what_has_anything_of_ours_is_not_foreign(name: str) -> None:
    assert not check_foreign(OURS[name])


@pytest.mark.parametrize("kind", ["encode", "reject", "exec", "faults", "break"])
def test_no_program_of_the_vectors_is_foreign_even_without_its_end_marks(kind: str) -> None:
    texts = [record["asm"] for record in records(kind)]
    assert len(texts) > 10
    assert [text for text in texts if check_foreign(text)] == []
    assert [text for text in texts if check_foreign(text.replace(";;", "\n"))] == []


def test_no_example_is_foreign() -> None:
    sources = (example_kernels(), instruction_examples(), documented_bundles())
    texts = [text for source in sources for text in source.values()]
    assert len(texts) > 40
    assert [text for text in texts if check_foreign(text.replace(";;", ";"))] == []


@given(st.sampled_from(sorted(example_kernels())), st.data())
def test_no_example_is_foreign_while_it_is_typed(name: str, data: st.DataObject) -> None:
    text = example_kernels()[name]
    assert not check_foreign(text[: data.draw(st.integers(0, len(text)))])


def unclaimed(text: str) -> Analysis:
    """The analysis of a text whose instruction set nothing states."""
    return with_isa_hint(Analyzer(load_isa("ipu")).analyze(text), IsaChoice(UNCLAIMED, ""))


@given(st.text("ab %.,;:{}$xr019\n\r\t#"))
def test_any_text_gets_an_answer(text: str) -> None:
    assert check_foreign(text) in (True, False)


def test_a_foreign_text_has_no_other_findings() -> None:
    analysis = unclaimed(FOREIGN["RISC-V"])
    assert [finding.code for finding in analysis.diagnostics] == ["H102"]
    assert analysis.text == FOREIGN["RISC-V"]


def test_what_was_read_ahead_is_analysed_like_any_text() -> None:
    text = "\ufeff" + example_kernels()["softmax_stats.s"]
    analyzer = Analyzer(load_isa("ipu"))
    assert sum(1 for _ in analyzer.read_ahead(text)) == len(analyzer.analyze(text).program.bundles)


@pytest.mark.parametrize(
    ("name", "first", "settings_file", "options", "codes"),
    [
        ("a.s", "", "", [], {"H102"}),
        ("a.asm", "", "", [], {"H102"}),
        ("a.ipu", "", "", [], {"E"}),
        ("a.s", "# isa: ipu\n", "", [], {"E"}),
        ("a.s", "", 'isa = "ipu"\n', [], {"E"}),
        ("a.s", "", '[isa-by-glob]\n"*.s" = "ipu"\n', [], {"E"}),
        ("a.s", "", "", ["--isa", "ipu"], {"E"}),
        ("a.s", "", "", ["--ignore", "foreign-assembly"], set()),
        ("a.s", "", "", ["--fix", "--unsafe-fixes"], {"H102"}),
        ("a.s", "# ipu: ignore-file[H102]\n", "", [], set()),
    ],
)
def test_only_files_that_nobody_claims_are_left_alone(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    first: str,
    settings_file: str,
    options: list[str],
    codes: set[str],
) -> None:
    text = first + FOREIGN["x86, AT&T"]
    (tmp_path / name).write_text(text)
    (tmp_path / "ipu.toml").write_text(settings_file)
    status = lint([str(tmp_path), "--format", "concise", *options])
    said = capsys.readouterr().out
    assert status == (1 if codes == {"E"} else 0)
    assert ("H102" in said) == (codes == {"H102"})
    assert ("E101" in said) == (codes == {"E"})
    assert (tmp_path / name).read_text() == text


def test_a_template_is_ours_if_its_expansion_is() -> None:
    ours = '{% set end = ";" * 2 %}\nbx lr{{ end }}\nbkpt{{ end }}\n'
    assert [f.code for f in unclaimed(ours).diagnostics] == ["E101"]
    foreign = "{% set r = 3 %}\n.text\nmov x{{ r }}, x2\n"
    assert [f.code for f in unclaimed(foreign).diagnostics] == ["H102"]
