"""`ipu-mca`: its numbers are those of a real run, and its options do what they say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft7Validator

from ipu_asm import __version__
from ipu_asm.cli.assembler.command import main as assemble_main
from ipu_asm.cli.mca import checks
from ipu_asm.cli.mca.command import main
from ipu_asm.cli.run.command import main as run_main
from tests.cli.commands import Ran, give_input, run
from tests.cli.test_run_any_input import BYTES
from tests.emulator.test_examples import published_case
from tests.example_references import DTYPES, ROOT

COUNT = {"type": ["integer", "null"], "minimum": 0}
SHARE = {"type": ["number", "null"], "minimum": 0}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["cycles", "bundles", "loops", "accesses", "unknown"],
    "properties": {
        "cycles": COUNT,
        "bundles": {"type": "integer", "minimum": 1},
        "loops": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["label", "row", "bundles", "trips", "cycles", "bound", "dependence"],
                "properties": {
                    "label": {"type": ["string", "null"]},
                    "row": {"type": "integer", "minimum": 1},
                    "bundles": {"type": "integer", "minimum": 1},
                    "trips": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["least", "most"],
                        "properties": {
                            "least": COUNT,
                            "most": COUNT,
                            "formula": {"type": "string"},
                        },
                    },
                    "cycles": COUNT,
                    "bound": {
                        "type": "object",
                        "additionalProperties": {"type": "integer", "minimum": 1},
                    },
                    "dependence": COUNT,
                    "limit": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["bundles", "slots", "delay_slots", "instructions"],
                        "properties": {
                            "bundles": {"type": "integer"},
                            "slots": {"type": "array", "items": {"type": "string"}},
                            "delay_slots": {"type": "integer"},
                            "instructions": {"type": "array", "items": {"type": "object"}},
                        },
                    },
                    "chain": {"type": "array"},
                    "registers": {"type": "object"},
                },
            },
        },
        "accesses": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["row", "mnemonic", "base", "start", "end", "count", "executions"],
                "properties": {
                    "row": {"type": "integer", "minimum": 1},
                    "mnemonic": {"type": "string"},
                    "base": {"type": "string"},
                    **dict.fromkeys(("start", "end", "count", "executions"), COUNT),
                },
            },
        },
        "unknown": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        # Of sets whose bundles have a part for each unit.
        "units": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "additionalProperties": False,
                "required": ["bundles", "share"],
                "properties": {"bundles": COUNT, "share": SHARE},
            },
        },
        **dict.fromkeys(("loads_per_cycle", "stores_per_cycle"), SHARE),
        "peak": {
            "type": "object",
            "additionalProperties": False,
            "required": ["flop_per_cycle", "share"],
            "properties": {"flop_per_cycle": COUNT, "share": SHARE},
        },
    },
}
SCHEMA_OF_REPORTS = Draft7Validator(SCHEMA)
NESTED = """\
    set lr5 2; set lr6 4;;
outer:
    set lr0 0; incr lr1 1;;
inner:
    incr lr0 1; mult.ee r0 lr0 lr0 lr0; acc;  # ipu: ignore[read-before-load]
    bne lr0 lr5 inner;;
    bne lr1 lr6 outer; acc.first;;
    bkpt;;
"""
LOOSE = """\
    set lr9 998; set lr2 127;;
loop:
    incr lr1 1;;
    incr lr2 1;;         # this one
    ldr_mult_reg r0 lr2 cr0; mult.ee r0 lr3 lr3 lr3;;  # ipu: ignore[read-before-load]
    acc;;
    bne lr1 lr9 loop;;
    bkpt;;
"""
UP_TO_CR4 = """\
    set lr1 0; add lr2 lr2 cr4;;
again:
    ldr_mult_reg r0 lr1 cr0;;
    incr lr1 128; bne lr1 lr2 again;;
    str_acc_reg lr2 cr1; bkpt;;
"""


FILES = {"nested.s": NESTED, "cr4.s": UP_TO_CR4}


def check(arguments: str, status: int = 0) -> Ran:
    """How `ipu-mca` ends, as expected."""
    ran = run(main, arguments.split())
    assert ran.status == status, ran.err
    return ran


def check_json(arguments: str, status: int = 0) -> Any:
    """The object that `ipu-mca --format json` prints, which has the documented keys."""
    report = json.loads(check(f"{arguments} --format json", status).out)
    SCHEMA_OF_REPORTS.validate(report)
    return report


def check_refused(arguments: str, message: str) -> None:
    """A usage error in one line that begins with a message."""
    ran = check(arguments, 2)
    assert ran.out == ""
    assert ran.err.startswith(f"ipu-mca: error: {message}"), ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize("stem", DTYPES)
def test_the_cycles_of_an_example_are_those_of_a_real_run(stem: str) -> None:
    case = published_case(stem, DTYPES[stem][0])
    registers = " ".join(f"--cr {number}={value}" for number, value in case.cr.items())
    registers += "".join(f" --lr {number}={value}" for number, value in case.lr.items())
    arguments = f"{ROOT}/examples/{stem}.s -W {registers}"
    ran = run(run_main, f"{arguments} --json".split())
    report = check_json(arguments)
    assert report["cycles"] == json.loads(ran.out)["cycles"]
    assert report["unknown"] == []
    assert all(access["end"] is not None for access in report["accesses"])


@pytest.mark.parametrize(
    ("taps", "arguments"),
    [(3, "--context taps=3"), (5, "--define taps=5"), (4, "--context taps=4")],
)
def test_the_cycles_of_a_template_are_those_of_a_real_run(taps: int, arguments: str) -> None:
    file = f"{ROOT}/examples/row_filter.asm --cr 0=0 --cr 1=0x40000 --cr 2=5120"
    ran = run(run_main, f"{file} --json --define taps={taps}".split())
    report = check_json(f"{file} {arguments}")
    assert report["cycles"] == json.loads(ran.out)["cycles"] == 4 + 10 * (taps + 2)


@pytest.mark.parametrize(
    "text",
    [
        "acc;;",
        "b +1023;;",
        "set lr1 2000;; br lr1;;",
        "set lr1 3;; br lr1;; acc;; acc;;",
        "break; set lr1 1;; bkpt;;",
    ],
)
def test_runs_that_leave_the_program_take_as_long_as_real_ones(text: str) -> None:
    Path("a.s").write_text(text)
    ran = run(run_main, ["a.s", "--json"])
    assert check_json("a.s")["cycles"] == json.loads(ran.out)["cycles"]


def test_a_run_without_uniform_iterations_is_followed_to_its_end() -> None:
    Path("a.s").write_text(
        "set lr15 6000;;\nx: incr lr1 1;;\nblt lr2 lr3 +3;;\nadd lr3 lr1 lr3;;\nb +2;;\n"
        "add lr2 lr2 lr1;;\nincr lr2 3;;\nbne lr1 lr15 x;;\nbkpt;;\n"
    )
    ran = run(run_main, ["a.s", "--json"])
    cycles = json.loads(ran.out)["cycles"]
    assert cycles > 30_000
    assert check_json("a.s")["cycles"] == cycles


def test_a_run_that_takes_long_is_followed_for_limited_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("a.s").write_text(
        "set lr0 2975;;\nadd lr2 lr0 lr4;;\nx: add lr1 lr2 lr4; sub lr2 lr2 lr1;;\nb x;;\nbkpt;;\n"
    )
    monkeypatch.setattr(checks, "_MAX_SECONDS", 0)
    ran = run(main, ["a.s", "--cr", "0=5"])
    assert "cycles, 5 bundles; not followed beyond line" in ran.out
    assert "more than 250," not in ran.out


def test_loops_have_trips_cycles_and_bounds() -> None:
    report = check_json("nested.s")
    assert report["cycles"] == 1 + 4 + 4 * 3 + 4 + 1
    outer, inner = report["loops"]
    assert outer == {
        "label": "outer",
        "row": 2,
        "bundles": 3,
        "trips": {"least": 4, "most": 4},
        "cycles": 20,
        "bound": {"lr": 1, "cond": 1, "acc": 1},
        "dependence": None,
    }
    assert inner == {
        "label": "inner",
        "row": 4,
        "bundles": 1,
        "trips": {"least": 3, "most": 3},
        "cycles": 12,
        "bound": {"lr": 1, "mult": 1, "acc": 1, "cond": 1},
        "dependence": 1,
    }


@pytest.mark.parametrize(
    ("body", "dependence"),
    [
        ("acc;; incr lr1 1;;", 1),
        ("acc;; here: incr lr1 1;;", 1),
        ("add lr1 lr1 lr3;; add lr1 lr1 lr3;; add lr1 lr1 lr3;;", 3),
        ("beq lr1 lr3 +2;; acc;; incr lr1 1;;", None),
    ],
)
def test_the_dependence_is_that_of_a_loop_with_one_path(body: str, dependence: int | None) -> None:
    Path("a.s").write_text(f"set lr3 1; set lr9 12;; x: {body} bne lr1 lr9 x;; bkpt;;")
    [loop] = check_json("a.s -W")["loops"]
    assert loop["dependence"] == dependence


def test_accesses_have_offsets_from_their_base() -> None:
    report = check_json("cr4.s --cr 4=512")
    assert report["accesses"] == [
        {
            "row": 3,
            "mnemonic": "ldr_mult_reg",
            "base": "cr0",
            "start": 0,
            "end": 640,
            "count": 5,
            "executions": 5,
        },
        {
            "row": 5,
            "mnemonic": "str_acc_reg",
            "base": "cr1",
            "start": 512,
            "end": 1024,
            "count": 1,
            "executions": 1,
        },
    ]


def test_what_depends_on_an_unknown_register_is_null() -> None:
    report = check_json("cr4.s")
    assert report["cycles"] is None
    assert report["unknown"] == ["cr4"]
    [loop] = report["loops"]
    assert loop["trips"] == {"least": None, "most": None}
    assert [access["executions"] for access in report["accesses"]] == [None, 1]
    assert [access["start"] for access in report["accesses"]] == [0, 0]
    text = check("cr4.s").out
    assert text.startswith("cr4.s: cycles depend on cr4, 4 bundles; halts in line 5\n")
    assert "loop again, line 2: 2 bundles x (cr4 + 0x80) / 0x80; " in text
    assert "cr0 + 0x80 x k, k < (cr4 + 0x80) / 0x80 " in text
    assert "numbers marked ? depend on cr4" in text
    assert "give values with --cr 4=VALUE, a comment `# CR cr4 = VALUE`, or `[kernel]`" in text


def test_a_run_that_ends_at_an_unknown_branch_says_so() -> None:
    Path("a.s").write_text("add lr1 lr1 cr4;;\nbeq lr1 lr2 +2;;\nincr lr3 1;;\nbkpt;;")
    text = check("a.s").out
    assert "a.s: more than 2 cycles, 4 bundles; the branch in line 2 depends on cr4" in text
    assert "give values with --cr 4=VALUE, a comment `# CR cr4 = VALUE`, or `[kernel]`" in text


def test_the_report_says_for_which_values_and_context_it_is() -> None:
    arguments = f"{ROOT}/examples/row_filter.asm --context taps=5 --cr 10=1 2=0x1400 --lr 1=3"
    first, second, *_ = check(arguments).out.splitlines()
    assert first.startswith(f"{ROOT}/examples/row_filter.asm (taps=5): ")
    own = "cr2 = 0x1400, cr10 = 1, lr1 = 3 from the command line"
    configured = "cr0 = 0, cr1 = 0x40000, cr3 = -1, cr4 = 3, cr5 = -1 from ipu.toml"
    assert second == f"with {configured}; {own}"


def test_values_come_from_options_then_comments_then_the_configuration() -> None:
    Path("ipu.toml").write_text('[kernel."*.s"]\ncr = {4 = 256}\n')
    assert check_json("cr4.s")["cycles"] == 1 + 2 * 3 + 1
    Path("cr4.s").write_text("# CR cr4 = 512\n" + UP_TO_CR4)
    assert check_json("cr4.s")["cycles"] == 1 + 2 * 5 + 1
    assert check_json("cr4.s --cr 4=1024")["cycles"] == 1 + 2 * 9 + 1


def test_the_configured_run_gives_the_values_that_nothing_else_does() -> None:
    """Also those of the names of a template, and those of an older version."""
    source = "{{ word }} lr1 1;;\n" + UP_TO_CR4
    Path("ipu.toml").write_text(
        '[kernel."cr4.s".run]\ncr = {4 = 512, 9 = 7}\ndefine = {word = "incr"}\n'
    )
    Path("cr4.s").write_text(source)
    out = check("cr4.s").out
    assert "\nwith cr4 = 0x200, cr9 = 7 from ipu.toml\n" in out
    cycles = 1 + 1 + 2 * 5 + 1
    assert out.startswith(f"cr4.s (word=incr): {cycles} cycles")
    out = check("cr4.s --cr 4=1024 --define word=set").out
    assert out.startswith(f"cr4.s (word=set): {cycles + 2 * 4} cycles")
    assert "\nwith cr4 = 0x400 from the command line; cr9 = 7 from ipu.toml\n" in out
    Path("old.s").write_text(source.replace("bkpt;;", "acc;;\n    bkpt;;"))
    compared = check("cr4.s --baseline old.s").out
    assert f"cycles: {cycles + 1} -> {cycles}" in compared


@pytest.mark.parametrize("name", ["conv3x3_row.s", "row_filter.asm --context taps=5"])
def test_a_report_fits_a_terminal_of_80_columns(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No word is cut, and rows of tables are as long as the others; a pipe gets whole lines."""
    whole = check(f"{ROOT}/examples/{name}").out
    monkeypatch.setattr("ipu_asm.cli.mca.command.columns_of", lambda stream: 80)
    fitted = check(f"{ROOT}/examples/{name}").out
    lines = fitted.replace(str(ROOT), "").splitlines()
    assert max(map(len, whole.splitlines())) > 80 >= max(map(len, lines))
    assert sorted(fitted.split()) == sorted(whole.split())
    coloured = check(f"{ROOT}/examples/{name} --color always").out
    assert "\x1b[1mloops\x1b[0m\n" in coloured
    assert "\x1b[1;33m <- bound\x1b[0m" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == fitted


def test_every_configuration_of_the_host_is_reported() -> None:
    Path("cr4.s").write_text("# CR cr4 = 512 | 1024\n" + UP_TO_CR4)
    out = check("cr4.s").out
    assert (
        out.count("cr4.s: 12 cycles, 4 bundles; halts in line 6\nwith cr4 = 0x200 from a comment\n")
        == 1
    )
    assert (
        out.count("cr4.s: 20 cycles, 4 bundles; halts in line 6\nwith cr4 = 0x400 from a comment\n")
        == 1
    )
    ran = check("cr4.s --format json")
    assert json.loads(ran.out)["cycles"] == 12
    note = "cr4.s: 2 configurations, reported for the first; choose with --cr\n"
    assert ran.err == f"ipu-mca: note: {note}"


def test_a_budget_that_a_configuration_breaks_is_a_finding() -> None:
    Path("cr4.s").write_text("# CR cr4 = 512 | 1024\n# CYCLES <= 12\n" + UP_TO_CR4)
    ran = check("cr4.s --format github", 1)
    assert ran.out.startswith("::error file=cr4.s,line=2,col=10,")
    assert "found 20, with cr4 = 1024" in ran.out
    assert "12 cycles, 4 bundles" in check("cr4.s", 1).out
    assert check("cr4.s --format github --cr 4=512") == Ran(0, "", "")


def test_several_values_may_follow_one_option() -> None:
    one = check("cr4.s --cr 4=512 0=0x1000 1=0x2000")
    assert one == check("--cr 4=512 --cr=0=0x1000 cr4.s --cr 1=0x2000")
    assert "cr1 = 0x2000" in one.out


def test_loop_registers_may_be_preset() -> None:
    Path("a.s").write_text("again: incr lr1 1; bne lr1 lr2 again;; bkpt;;")
    assert check_json("a.s --lr 2=9")["cycles"] == 11


def test_overlaps_of_regions_are_told() -> None:
    apart = check("cr4.s --cr 4=512 0=0 1=0x100000").out
    assert "no overlaps" in apart
    together = check("cr4.s --cr 4=512 0=0x1000 1=0x1000").out
    assert "overlap: cr0 and cr1 share 128 bytes at 0x1200..0x127f, written" in together
    unknown = check("cr4.s --cr 4=512").out
    assert "not all overlaps are known: give --cr 0=VALUE --cr 1=VALUE" in unknown


def test_moves_are_named_with_what_they_save_and_what_limits_them() -> None:
    Path("a.s").write_text(LOOSE)
    out = check("a.s").out
    assert "loop loop, line 2: 5 bundles x 998 = 4,990 cycles (99.9 %); " in out
    assert "; dependence 1; moves save 3\n" in out
    assert "no fewer than 2 bundles: each instruction waits for the one before, line 3 ->" in out
    assert "moves save 3 of 7 bundles, 2,994 of 4,992 cycles (60.0 %)" in out
    moves = "incr, line 3 -> line 5; incr, line 4 -> line 5; acc, line 6 -> line 5"
    assert f"lines 3 to 7: 3 bundles, 2,994 cycles: {moves}" in out


def test_a_loop_at_its_bound_says_which_slots_are_full() -> None:
    out = check(f"{ROOT}/examples/fully_connected.s").out
    assert "no fewer than 1 bundle: xmem, mult, acc, lr, cond are full" in out
    assert "no move inside of a block saves a bundle" in out


def test_packing_writes_the_program_with_fewer_bundles() -> None:
    Path("a.s").write_text(LOOSE)
    ran = check("a.s --pack --cr 0=0x100")
    assert ran.err.startswith("ipu-mca: note: a.s: 7 -> 4 bundles, 4,992 -> 1,998 cycles; proven")
    Path("b.s").write_text(ran.out)
    assert check_json("b.s")["cycles"] == 1_998
    assert "# this one" in ran.out
    assert check("a.s --pack --cr 0=0x100 -o c.s").out == ""
    assert Path("c.s").read_text() == ran.out
    nothing = "nothing to pack in 4 bundles: every block is at its bound"
    assert check("c.s --pack").err == f"ipu-mca: note: c.s: {nothing}\n"
    check_refused("a.s --pack -o a.s", "--output a.s: would replace the input")
    assert Path("a.s").read_text() == LOOSE


def test_rows_of_a_template_are_those_of_the_written_file() -> None:
    Path("a.s").write_text(
        "{% macro tap(n) %}\n incr lr1 {{ n }}; ldr_mult_reg r0 lr1 cr0;;\n{% endmacro %}\n"
        "set lr2 512;;\n{% for n in (128, 128) %}\n\n{{ tap(n) }}\n{% endfor %}\n"
        "x: bne lr1 lr2 x; incr lr1 128;;\nbkpt;;\n"
    )
    report = check_json("a.s")
    assert [access["row"] for access in report["accesses"]] == [2, 2]
    assert [loop["row"] for loop in report["loops"]] == [9]


def test_a_template_in_several_contexts_asks_for_one() -> None:
    file = "filter.asm"
    Path(file).write_bytes(Path(ROOT, "examples/row_filter.asm").read_bytes())
    choice = "taps=3; taps=5; choose with --context or --define"
    message = f"{file}: a template is assembled in one context, found 2: {choice}"
    check_refused(file, message)


def test_the_program_may_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    give_input(monkeypatch, NESTED)
    assert check("-").out.startswith("<stdin>: 22 cycles, 5 bundles; halts in line 8\n")


def test_the_report_may_go_to_a_file() -> None:
    shown = check("nested.s").out
    assert check("nested.s -o out.txt") == Ran(0, "", "")
    assert Path("out.txt").read_text() == shown
    check_refused("nested.s -o nested.s", "--output nested.s: would replace the input")
    assert Path("nested.s").read_text() == NESTED


def test_errors_are_shown_as_by_the_linter() -> None:
    Path("a.s").write_text("set lr1 3;;\nfoo lr0;;\n")
    for form in ("text", "json", "html"):
        ran = check(f"a.s --format {form}", 1)
        assert ran.out == ""
        assert ran.err.startswith("error[E101]: ")
        assert ran.err.endswith("1 error, nothing reported\n")
    ran = check("a.s --format github", 1)
    assert ran.out.startswith("::error file=a.s,line=2,col=1,endLine=2,endColumn=4,title=E101 ")
    assert ran.err == ""


def test_warnings_may_be_off() -> None:
    Path("a.s").write_text("acc;;")
    ran = check("a.s")
    assert ran.err.startswith("warning[W103]: ")
    for option in ("-W", "--no-warnings"):
        assert check(f"a.s {option}") == Ran(0, ran.out, "")


@pytest.mark.parametrize(
    ("text", "how", "why"),
    [
        (
            "set lr1 -1;;\nldr_mult_reg r0 lr1 cr0;;\nbkpt;;",
            "faults in line 2",
            ": an offset must not be negative, because it counts as an unsigned number: "
            "`ldr_mult_reg` reads 128 bytes at offset -1 from `cr0`",
        ),
        (
            "x: incr lr1 1;;\nacc.stride 16 off on lr1;;\nb x;;",
            "faults in line 2",
            ": bits 1:0 of `lr1`, for `acc.stride`, must be 0..2, found 3 (`lr1` = 0x3) "
            "in iteration 3 of `x`",
        ),
        ("acc;;\nx: b x;;", "never leaves the loop in line 2", ""),
    ],
)
def test_a_run_that_fails_is_a_finding_that_says_why(text: str, how: str, why: str) -> None:
    Path("a.s").write_text(text)
    ran = check("a.s -W", 1)
    assert how in ran.out
    assert ran.err == f"ipu-mca: error: a.s: the program {how}{why}\n"


def test_a_fault_has_the_cycles_before_it() -> None:
    Path("a.s").write_text("set lr1 -1;;\nldr_mult_reg r0 lr1 cr0;;\nbkpt;;")
    assert check_json("a.s", 1)["cycles"] == 1


@pytest.mark.parametrize(
    ("file", "bundles", "loops", "note"),
    [
        ("colossus/axpy.S", 12, [("_Lnext", 28)], ""),
        ("edgenpu/classifier.edgenpu", 11, [], "ipu-mca: note: "),
        ("xdna1/add_int16.aie2", 26, [("_Lbody", 23)], ""),
    ],
)
def test_other_machines_have_a_reduced_report(
    file: str, bundles: int, loops: list[Any], note: str
) -> None:
    ran = check(f"{ROOT}/examples/{file} -W --format json")
    report = json.loads(ran.out)
    SCHEMA_OF_REPORTS.validate(report)
    assert (report["cycles"], report["bundles"]) == (None, bundles)
    assert [(loop["label"].replace(".", "_"), loop["row"]) for loop in report["loops"]] == loops
    trips = [(loop["trips"]["least"], loop["trips"]["most"]) for loop in report["loops"]]
    assert trips == [(None, None)] * len(loops)
    assert ran.err.startswith(note)
    assert ran.err.count("\n") == bool(note)


def test_a_negative_register_of_the_host_is_told() -> None:
    Path("a.s").write_text("# CR lr8 = -1\nset lr1 2;;\nbkpt;;\n")
    assert "\nwith lr8 = -1 from a comment\n" in check("a.s").out


def test_a_function_without_an_end_has_no_cycles() -> None:
    Path("a.aie2").write_text("f:\nnopa; nopb; nops\n")
    ran = check("a.aie2")
    assert ran.out.endswith("line 2: cycles not known, control runs past the end of the file\n")


RETURN = "    ret lr\n" + "    nop\n" * 5
NOPS = "    nop\n" * 4
UNSTATED = "// isa: xdna2\nf:\n    divs r0, r31, r0, r1\n"


def _late(nops: int) -> str:
    return "f:\n    lda r0, [p0, #0]\n" + "    nop\n" * nops + "    st r0, [p1, #0]\n" + RETURN


@pytest.mark.parametrize(
    ("text", "status", "told"),
    [
        (_late(6), 0, "all latencies met on 1 path"),
        (_late(5), 1, "1 latency is not met; followed 1 path\n  line 8: `st` reads `r0` 6 "),
        (f"f:\n    jl #g\n{NOPS}    vlda wl0, [p0], #32\n{RETURN}", 3, "relies on the function"),
        (f"f:\n    j p0\n{NOPS}    vlda wl0, [p0], #32\n", 3, "control goes is not known"),
        (f"{UNSTATED}    add r1, r0, #1\n{RETURN}", 3, "no public text states"),
    ],
)
def test_a_certificate_is_met_broken_or_not_known(text: str, status: int, told: str) -> None:
    Path("a.aie2").write_text(text)
    assert told in check("a.aie2 --certify", status).out
    report = json.loads(check("a.aie2 --certify --format json", status).out)
    names = {0: "met", 1: "broken", 3: "unknown"}
    assert report["certificate"]["status"] == names[status]
    assert len(report["certificate"]["broken"]) == (status == 1)


MATRIX = """\
// isa: xdna1
f:
    mova r0, #28; vldb wl0, [p0], #32
    movxm ls, #.Lfirst
    movxm le, #.Llast
    movxm lc, #4; mova r1, #60
    nop
    nop
    nop
    nop
    nop
    nop
.Lfirst:
    vmac.f bml0, bml0, x0, x2, r0; vlda wl2, [p1], #32
    nopx
.Llast:
    vmac.f bml1, bml1, x0, x2, r1; vst wl2, [p2], #32; add r2, r2, #1
"""


def test_units_and_the_share_of_the_peak_are_those_of_the_executed_bundles() -> None:
    Path("a.aie2").write_text(MATRIX + RETURN)
    report = json.loads(check("a.aie2 --format json").out)
    assert report["cycles"] == 10 + 3 * 4 + 6
    assert {unit: use["bundles"] for unit, use in report["units"].items()} == {
        "lda": 6, "ldb": 1, "st": 4, "alu": 8, "mv": 3, "vec": 8,
    }  # fmt: skip
    assert report["units"]["vec"]["share"] == round(8 / 28, 4)
    assert (report["loads_per_cycle"], report["stores_per_cycle"]) == (
        round(5 / 28, 4),
        round(4 / 28, 4),
    )
    # 4x8x4 multiplications, and an elementwise operation with a quarter of them.
    share = round((4 * 128 + 4 * 32) / (28 * 128), 4)
    assert report["peak"] == {"flop_per_cycle": 256, "share": share}
    (loop,) = report["loops"]
    assert (loop["trips"], loop["cycles"], loop["dependence"]) == ({"least": 4, "most": 4}, 12, 2)
    assert loop["chain"] == [{"row": 14, "mnemonic": "vmac.f", "register": "bml0"}]


def test_a_count_that_is_an_argument_gives_a_formula() -> None:
    text = MATRIX.replace("movxm lc, #4; mova r1, #60", "add.nc lc, r4, #-3")
    Path("a.aie2").write_text(text + RETURN)
    out = check("a.aie2").out
    assert "  f, line 3: 16 + 3 x (r4 - 3) cycles\n" in out
    assert "3 bundles x (r4 - 3);" in out
    report = json.loads(check("a.aie2 --format json").out)
    assert report["loops"][0]["trips"] == {"least": None, "most": None, "formula": "r4 - 3"}
    # Not an argument any more.
    Path("b.aie2").write_text(text.replace("mova r0, #28", "lda r4, [p3, #0]") + RETURN)
    assert "3 bundles x ?;" in check("b.aie2").out


def test_a_loop_takes_its_branch_and_all_delay_slots_at_least() -> None:
    text = "f:\n.L:\n    jnz r0, #.L\n    add r0, r0, #-1\n" + NOPS
    Path("a.aie2").write_text(text + RETURN)
    assert "dependence 1; branch with delay slots 6 <- bound\n" in check("a.aie2").out
    report = json.loads(check("a.aie2 --format json").out)
    page = check("a.aie2 --format html").out
    assert page.count('<td class="slot-of-branch" title="delay slot">') == 9
    assert report["loops"][0]["limit"] == {
        "bundles": 6,
        "slots": [],
        "delay_slots": 5,
        "instructions": [{"row": 3, "mnemonic": "jnz", "register": ""}],
    }


def test_loops_of_two_lanes_tell_how_many_slots_of_each_are_empty() -> None:
    body = "  { ld32step $a2, $mzero, $m1+=, 1 ; fnop }\n  { nop ; f32add $a0, $a0, $a2 }\n"
    loop = "w:\n  ld32step $a2, $mzero, $m1+=, 1\n  brnzdec $m3, w\n  exitz $mzero\n"
    text = "f:\n  setzi $m0, 100\n  .align 8\n  { rpt $m0, 1 ; fnop }\n" + body
    Path("a.S").write_text(f".worker\n{text}  setzi $m3, 9\n{loop}")
    out = check("a.S").out
    assert "2 bundles x 100 = 200 cycles" in out
    assert "\n    empty slots: main 1 of 2 (50.0 %), aux 1 of 2 (50.0 %)\n" in out
    assert "2 bundles x 10 = 20 cycles" in out
    assert "\n    empty slots: main 0 of 2, aux 2 of 2 (100 %)\n" in out
    assert "aux 2 of 2 (100 %)</p>" in check("a.S --format html").out


def test_a_configuration_that_is_not_known_has_no_peak() -> None:
    Path("a.aie2").write_text(MATRIX.replace("mova r0, #28; ", "").replace("; mova r1, #60", ""))
    assert "peak" not in json.loads(check("a.aie2 --format json").out)


def test_a_version_is_compared_with_its_baseline_by_lines() -> None:
    Path("old.aie2").write_text(MATRIX + RETURN)
    Path("new.aie2").write_text(MATRIX.replace("    nopx\n", "    nopx\n    nopx\n") + RETURN)
    out = check("new.aie2 --baseline old.aie2").out
    assert "  cycles: 28 -> 32 (+14.3 %)\n" in out
    assert "  loop .Lfirst bundles: 3 -> 4 (+33.3 %)\n" in out
    assert out.endswith(
        "changed lines\n  line 16, was after line 15: 0 -> 1 bundles, 0 -> 4 cycles (+4)\n"
    )
    report = json.loads(check("new.aie2 --baseline old.aie2 --format json").out)
    assert (report["cycles"], report["baseline"]["cycles"]) == (32, 28)
    assert {"what": "cycles", "old": 28, "new": 32} in report["differences"]
    lines = [each for each in report["differences"] if each["what"] == "lines"]
    assert [(each["row"], each["bundles"], each["cycles"]) for each in lines] == [
        (16, [0, 1], [0, 4])
    ]


def test_differences_of_expansions_are_those_of_the_lines_that_were_written() -> None:
    text = ".macro wait count\n.rept \\count\n    nopx\n.endr\n.endm\n" + MATRIX + RETURN
    text = text.replace("    nopx\n.Llast", "    wait 1\n.Llast")
    assert "wait 1" in text
    Path("old.aie2").write_text(text)
    Path("new.aie2").write_text(text.replace("wait 1", "wait 3"))
    report = json.loads(check("new.aie2 --baseline old.aie2 --format json").out)
    lines = [each for each in report["differences"] if each["what"] == "lines"]
    assert [(each["row"], each["bundles"], each["cycles"]) for each in lines] == [
        (3, [0, 2], [0, 8])
    ]


def test_a_regression_beyond_the_limit_fails() -> None:
    Path("old.s").write_text(
        "set lr1 4;;\nset lr2 0;;\nloop:\nincr lr2 1;\nbne lr2 lr1 loop;;\nbkpt;;\n"
    )
    Path("new.s").write_text(
        "set lr1 5;;\nset lr2 0;;\nloop:\nincr lr2 1;\nbne lr2 lr1 loop;;\nbkpt;;\n"
    )
    ran = check("new.s --baseline old.s --fail-on-regression 2%", 1)
    assert "cycles grow by" in ran.err
    assert check("new.s --baseline old.s --fail-on-regression 50%").err == ""
    assert check("old.s --baseline new.s --fail-on-regression 0").err == ""
    check("new.s --fail-on-regression 2%", 2)
    check("new.s --baseline missing.s", 2)


def test_a_program_and_its_object_do_not_differ() -> None:
    Path("a.aie2").write_text(f".globl f\n{MATRIX}{RETURN}")
    assert assemble_main(["assemble", "a.aie2", "-o", "a.o"]) == 0
    out = check("a.aie2 --baseline a.o").out
    # The object is filled up to a multiple of 16 bytes.
    assert "  cycles: 28, no change\n" in out
    assert "changed lines" not in out


def test_a_set_whose_results_land_at_once_has_no_certificate() -> None:
    Path("a.s").write_text("bkpt;;\n")
    assert "sets without interlocks" in check("a.s --certify", 2).err


COUNTED = """f:
    setzi $m0, 9
.Lo:
    {{ rpt {}, 1 ; fnop }}
1:
    {{ ld32step $a0, $mzero, $m3+=, 1 ; fnop }}
    {{ nop ; f32add $a1, $a0, $a0 }}
    brnzdec $m0, .Lo
    exitz $mzero
"""


def test_loops_that_count_constants_have_trips_and_cycles() -> None:
    Path("a.S").write_text(COUNTED.format("12"))
    report = check_json("a.S")
    assert (report["cycles"], report["bundles"], report["accesses"]) == (262, 6, [])
    found = [(each["label"], each["bundles"], each["cycles"]) for each in report["loops"]]
    assert found == [(".Lo", 4, 260), ("1", 2, 240)]
    assert [each["trips"]["most"] for each in report["loops"]] == [10, 12]
    text = check("a.S").out
    assert text.startswith("a.S: 262 cycles, 6 bundles\n")
    assert "  f, line 2: 262 cycles\n" in text
    assert "loop 1, line 6: 2 bundles x 120 = 240 cycles (91.6 %); main 1, aux 1" in text
    assert "trips an entry: 12\n" in text


def test_a_count_that_data_decides_leaves_out_what_depends_on_it() -> None:
    Path("a.S").write_text(COUNTED.format("$m1"))
    report = check_json("a.S")
    assert report["cycles"] is None
    assert [each["trips"]["least"] for each in report["loops"]] == [10, None]
    text = check("a.S").out
    assert text.startswith("a.S: cycles not known, 6 bundles\n")
    assert "f, line 2: cycles not known, line 4 decides" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("", "expected PATH, a program, a folder, or `-` for standard input, found none"),
        ("none.s", "none.s: no such file"),
        ("nested.s --cr", "argument --cr: expected N=VALUE after it, found no value"),
        ("nested.s --cr x=1", "argument --cr: expected N=VALUE such as 3=0x1000, found `x=1`"),
        ("nested.s --cr 16=1", "argument --cr: there are registers 0 to 15, found 16"),
        ("nested.s --cr 1=1 2=x", "argument --cr: expected a number such as"),
        ("nested.s --lr 1", "argument --lr: expected N=VALUE"),
        ("nested.s --define 1", "argument --define: "),
        ("nested.s --context x", "argument --context: "),
        ("nested.s --isa ipx", "argument --isa: "),
        ("nested.s --format xml", "argument --format: expected one of text, json, html, github"),
        ("nested.s --fromat json", "unknown option `--fromat`; did you mean `--format`?"),
        ("nested.s -o no/where", "no/where"),
        ("nested.s --pack --format html", "--pack writes a program, found --format html"),
    ],
)
def test_wrong_usage_is_told_in_one_line(arguments: str, message: str) -> None:
    check_refused(arguments, message)


def test_a_mistake_in_the_configuration_is_told() -> None:
    Path("ipu.toml").write_text("isa = 7\n")
    check_refused("nested.s", f"{Path.cwd() / 'ipu.toml'}:1: `isa`: ")


def test_help_and_version_are_for_people() -> None:
    out = check("--help").out
    assert out.startswith("usage: ipu-mca [options] PATH ...\n")
    assert "exit status:" in out
    assert check("--version").out == f"ipu-mca {__version__}\n"


@given(data=BYTES)
def test_any_bytes_are_reported_or_refused(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        give_input(monkeypatch, data)
        ran = run(main, ["-", "--isa", "ipu", "--format", "json"])
    refused = ran.status == 2 and ("UTF-16" in ran.err or "ELF" in ran.err)
    assert refused or ran.status in (0, 1), ran.err
    if ran.out:
        SCHEMA_OF_REPORTS.validate(json.loads(ran.out))
    else:
        assert ran.status
        assert ran.err


ROWS_OF_IPU2 = """\
    # isa: ipu2
    # CR wide = fp32
    LDR_MULT_REG r0 lr0 cr2;;
    BKPT;;
"""


@pytest.mark.parametrize(
    ("option", "size"), [("", 512), ("--wide off", 128), ("--wide INT32", 512)]
)
def test_the_option_for_the_mode_of_ipu2_counts_before_the_comment(option: str, size: int) -> None:
    Path("rows.s").write_text(ROWS_OF_IPU2)
    (load,) = check_json(f"rows.s -W {option}")["accesses"]
    assert (load["start"], load["end"]) == (0, size)


def _write_project() -> None:
    """A project with kernels of two sets, a broken budget, an excluded one, and a host program."""
    for folder in ("kernels/ipu2", "kernels/skipped"):
        Path(folder).mkdir(parents=True)
    Path("ipu.toml").write_text('exclude = ["skipped"]\n[isa-by-glob]\n"kernels/ipu2/*" = "ipu2"\n')
    Path("kernels/a.s").write_text("# CYCLES <= 2\nset lr1 1;;\nbkpt;;\n")
    Path("kernels/b.s").write_text("# CYCLES <= 1\nset lr1 1;;\nacc;;\nbkpt;;\n")
    Path("kernels/host.s").write_text("    .text\n    mov %rax, %rbx\n")
    Path("kernels/ipu2/c.s").write_text("INC lr1 1;;\nBKPT;;\n")
    contexts = "{# ipu: context n=1 #}\n{# ipu: context n=2 #}\n"
    Path("kernels/t.s").write_text(
        contexts + "{% for i in range(n) %}\nacc;;\n{% endfor %}\nbkpt;;\n"
    )
    Path("kernels/skipped/d.s").write_text("no kernel\n")


def test_folders_are_searched_and_each_program_is_reported() -> None:
    _write_project()
    ran = check("kernels -W", 1)
    heads = [line for line in ran.out.splitlines() if " cycles, " in line and ".s" in line]
    assert [line.partition(";")[0].replace("\\", "/") for line in heads] == [
        "kernels/a.s: 2 cycles, 2 bundles",
        "kernels/b.s: 3 cycles, 3 bundles",
        "kernels/ipu2/c.s: 2 cycles, 2 bundles",
        "kernels/t.s (n=1): 2 cycles, 2 bundles",
        "kernels/t.s (n=2): 3 cycles, 3 bundles",
    ]
    assert "error[E501]: the program takes at most 1 cycles, found 3" in ran.err
    check("kernels -W --exclude b.s")


def test_the_json_of_several_programs_is_a_list() -> None:
    _write_project()
    found = json.loads(check("kernels/a.s kernels/t.s -W --format json").out)
    about = [(each.pop("file"), each.pop("context", ""), each["cycles"]) for each in found]
    assert about == [("kernels/a.s", "", 2), ("kernels/t.s", "n=1", 2), ("kernels/t.s", "n=2", 3)]
    for each in found:
        SCHEMA_OF_REPORTS.validate(each)
    [alone] = json.loads(check("kernels/ipu2 -W --format json").out)
    assert alone["file"].endswith("c.s")


def test_the_exit_status_of_several_programs_is_the_highest() -> None:
    _write_project()
    ran = check("kernels/a.s missing.s kernels/b.s -W", 2)
    assert "missing.s: no such file" in ran.err
    assert "kernels/b.s: 3 cycles" in ran.out


def test_annotations_of_several_programs_come_together() -> None:
    _write_project()
    ran = check("kernels -W --format github -o found.txt", 1)
    assert ran.out == ""
    assert Path("found.txt").read_text().count("::error file=kernels/b.s,line=1,") == 1


@pytest.mark.parametrize("option", ["--pack", "--format html"])
def test_what_is_for_one_program_is_refused_for_a_folder(option: str) -> None:
    _write_project()
    check_refused(f"kernels {option}", f"{option} is for one program")


def test_why_a_loop_is_not_shorter_is_named_with_lines() -> None:
    Path("a.s").write_text(
        "# isa: ipu2\n# CR cr2 = 0, cr5 = 16\nSET lr0 cr0; SET lr1 cr0;;\n"
        "x: LDR_CYCLIC_MULT_REG lr0 cr2 lr1;;\nMULT.RC.VE lr1 lr0 0 lr1 cr15; ACC.ADD;;\n"
        "INC lr0 1;;\nBNE lr0 cr5 x;;\nBKPT;;\n"
    )
    out = run(main, ["a.s", "-W"]).out
    chain = "LDR_CYCLIC_MULT_REG (line 4) -> MULT.RC.VE (line 5) -> INC (line 6) -> LDR_CYCLIC"
    assert "overlapping iterations take no fewer than 2 bundles: each waits" in out
    assert chain in out
    [loop] = json.loads(run(main, ["a.s", "-W", "--format", "json"]).out)["loops"]
    assert loop["limit"]["bundles"] == 2
    assert [each["row"] for each in loop["limit"]["instructions"]] == [4, 5, 6]
