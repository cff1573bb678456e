"""Sessions at the debug console, `sessions/console.txt`, and what holds for all that is typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.debugger.console import COMMANDS, CommandResult, Console, rows
from ipu_asm.debugger.expressions import ExpressionError, LiveContext
from ipu_asm.debugger.queries import QueryInterruptedError
from ipu_asm.emulator.stops import StopReason
from tests.debugger.sessions import FOLDER, LOOP, NO_TRAPS, console_on, debugger_on, play
from tests.scripts import Script, titled_scripts


@pytest.mark.parametrize("script", titled_scripts(FOLDER))
def test_a_session_is_answered_as_it_is_written_down(script: Script) -> None:
    assert play(script) == script.lines


def test_a_question_leaves_a_shared_context_at_its_cycle() -> None:
    debugger = debugger_on(LOOP, NO_TRAPS)
    debugger.go_to(500)
    context = LiveContext(debugger.state, debugger.cycle)
    console = Console(debugger, lambda: context)
    assert "became true at cycle 400" in console.run("when cycle == 400").text
    assert console.run("cycle").text == "500 (0x000001f4)"


def test_a_fault_ends_the_way() -> None:
    debugger = debugger_on("set lr1 -1;;\nbad: ldr_mult_reg r0 lr1 cr0;;\nbkpt;;")
    answer = console_on(debugger).run("goto 100")
    assert answer.text.startswith("cycle 1, fault in bundle 1 (`bad`, line 2): ")
    assert answer.stop is not None
    assert answer.stop.reason is StopReason.FAULT


def test_the_bundles_of_a_listing_are_plain_data() -> None:
    found = rows(debugger_on("a: set lr1 3; b +2;;\nacc;; c: br lr1;;"), 0, 4)
    assert [(row.address, row.label, row.line) for row in found] == [
        (0, "a", 1), (1, None, 2), (2, "c", 2), (3, None, None),
    ]  # fmt: skip
    assert [row.code for row in found[:3]] == ["set lr1 3; b c;;", "acc;;", "br lr1;;"]


def test_help_tells_of_every_command() -> None:
    console = console_on(debugger_on(LOOP))
    overview = console.run("help").text
    for name, command in COMMANDS.items():
        assert f"{command.usage}  " in overview
        assert console.run(f"help {name}").text == (
            f"{command.usage}: {command.summary}\n{command.details}"
        )


def test_an_assignment_changes_and_a_journey_moves() -> None:
    console = console_on(debugger_on(LOOP, NO_TRAPS))
    assert console.run("half = 7") == CommandResult(
        "[7, 7, 7, 7, 7, 7, 7, 7, … 64 values]", changed=True
    )
    stop = console.run("goto 30").stop
    assert stop is not None
    assert (stop.reason, stop.cycle) == (StopReason.STEP, 30)
    result = console.run("lr4 + 1").result
    assert result is not None
    assert (result.value.number, result.location) == (3, None)
    assert console.run(" \n") == CommandResult("")


SHADOWED = dict.fromkeys(COMMANDS, 5)


@pytest.mark.parametrize(
    "typed",
    ["when", " goto ", "who + 1", "goto -1", "goto +1", "dis,x", "help == 5", "dis * 2",
     "when and 1", "who != 2", "dis ? 1 : 2"],
)  # fmt: skip
def test_a_label_called_like_a_command_is_meant_where_an_expression_goes_on(typed: str) -> None:
    console = console_on(debugger_on(LOOP, NO_TRAPS), SHADOWED)
    answer = console.run(typed)
    assert answer.result is not None
    assert answer.stop is None


@pytest.mark.parametrize(
    ("typed", "start"),
    [
        ("who lr1", "no instruction has written `lr1`"),
        ("who (goto ? lr1 : lr2)", "! `who` takes a register"),
        ("who (lr1)", "no instruction has written `(lr1)`"),
        ("when not lr1", "`not lr1` held from the beginning"),
        ("when !lr1", "`!lr1` held from the beginning"),
        ("when when > 4", "`when > 4` held from the beginning"),
        ("when android", "! no register, label or name is called `android`"),
        ("goto goto", "! `goto` takes a cycle, found the label `goto`, an address"),
        ("goto goto + 0", "cycle 5,"),
        ("dis dis", "      5  line 9"),
        ("help who", "who PLACE:"),
    ],
)
def test_anything_else_behind_the_word_makes_it_the_command(typed: str, start: str) -> None:
    console = console_on(debugger_on(LOOP, NO_TRAPS), SHADOWED)
    try:
        text = console.run(typed).text
    except ExpressionError as error:
        text = f"! {error.message}"
    assert text.startswith(start)


@pytest.mark.parametrize("typed", ["goto -1", "help", "dis", "goto +1"])
def test_without_such_a_label_the_word_is_always_the_command(typed: str) -> None:
    assert console_on(debugger_on(LOOP, NO_TRAPS)).run(typed).result is None


@pytest.mark.parametrize("typed", ["who cr3", "when lr4 > 1_000"])
def test_a_question_can_be_interrupted(typed: str) -> None:
    wanted = [False]
    debugger = debugger_on(LOOP, NO_TRAPS, spacing=64, pause=lambda: wanted[0])
    debugger.go_to(3_000)
    wanted[0] = True
    with pytest.raises(QueryInterruptedError):
        console_on(debugger).run(typed)
    assert debugger.cycle == 3_000


def test_a_long_way_can_be_paused_and_resumed() -> None:
    wanted = [True]
    debugger = debugger_on(LOOP, NO_TRAPS, spacing=64, pause=lambda: wanted[0])
    answer = console_on(debugger).run("goto 3000")
    assert answer.stop is not None
    assert (answer.stop.reason, answer.text) == (
        StopReason.PAUSE,
        f"cycle {debugger.cycle}, paused",
    )
    wanted[0] = False
    assert debugger.resume(answer.stop.continuation).cycle == 3_000


WORDS = st.sampled_from(
    ["who", "when", "goto", "dis", "help", "lr4", "rows", "acc[3]", "mask[2]", "xmem[cr0 .. +4]",
     "pc", "cycle", "loop", "inner", "-", "+", "=", "==", ">", "(", ")", ",x", "1", "40", "300",
     "2_000", "9" * 30, "٣", "half", "not", ":", "\n"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=6).map(" ".join) | st.text(max_size=20))
def test_whatever_is_typed_is_answered_or_refused(typed: str) -> None:
    debugger = debugger_on(LOOP, NO_TRAPS, spacing=64)
    debugger.go_to(200)
    before = debugger.state.save()
    answer, mistake = CommandResult(""), None
    try:
        answer = console_on(debugger).run(typed)
    except ExpressionError as error:
        mistake = error
    if answer.stop is None:
        assert debugger.cycle == 200
        assert answer.changed or debugger.state.save() == before
    else:
        assert answer.stop.cycle == debugger.cycle
    assert mistake is None or 0 <= mistake.span.start <= mistake.span.end <= len(typed)


@pytest.mark.parametrize(
    "typed",
    [
        "goto " + "9" * 1_000_000,
        "x" * 1_000_000,
        "help " + "y" * 10**6,
        " " * 10**6 + "who lr1" + " " * 10**6,
    ],
)
def test_a_huge_input_is_refused(typed: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        console_on(debugger_on(LOOP)).run(typed)
    assert len(caught.value.message) < 200
