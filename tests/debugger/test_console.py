"""Sessions at the debug console: what is typed behind `>`, the answer below it.

A mistake stands behind `!`, with what it is about in `«»` of the line that was typed.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.debugger.console import COMMANDS, CommandResult, Console, rows
from ipu_asm.debugger.debugger import Debugger
from ipu_asm.debugger.expressions import ExpressionError, LiveContext
from ipu_asm.debugger.queries import QueryInterruptedError
from ipu_asm.emulator.stops import StopReason
from tests.debugger.sessions import LOOP, NO_TRAPS, debugger_on

NAMES = {"rows": "lr4", "half": "acc[0..63]"}


def console_on(debugger: Debugger, labels: dict[str, int] | None = None) -> Console:
    labels = {**debugger.program.label_addresses, **(labels or {})}
    return Console(debugger, lambda: LiveContext(debugger.state, debugger.cycle, labels, NAMES))


def check_session(transcript: str, debugger: Debugger | None = None) -> Debugger:
    """Each line typed is answered as the lines below it say."""
    debugger = debugger or debugger_on(LOOP, NO_TRAPS)
    console = console_on(debugger)
    for exchange in transcript.strip().removeprefix("> ").split("\n> "):
        typed, _, expected = exchange.partition("\n")
        shown = typed.replace("«", "").replace("»", "")
        try:
            answer = console.run(shown).text
        except ExpressionError as error:
            start, end = error.span
            assert f"{shown[:start]}«{shown[start:end]}»{shown[end:]}" == typed
            answer = f"! {error.message}"
        assert answer == expected, typed
    return debugger


def test_expressions_are_answered_with_their_values() -> None:
    check_session("""
> lr4
0
> goto 2000
cycle 2000, in front of bundle 3 (`inner`, line 6)
> rows
77 (0x0000004d)
> rows,x
0x0000004d
> rows == 77
true
> acc[0..3] > 0
[false, false, false, false]
> not lr1
false
> cycle - 2000
0
> acc
[0, 0, 0, 0, 0, 0, 0, 0, … 128 values]
> outer
2
""")


def test_mistakes_say_what_is_wrong_and_where() -> None:
    check_session(
        """
> rows + «looop»
! no register, label or name is called `looop`
> lr5 = «lr99»
! no register is called `lr99`; there are lr0 to lr15
> «outer» = 3
! a value goes into a register, an element, a slice or xmem, found a computed value
> lr5 = «1 << 40»
! `i32` takes -2147483648 to 4294967295, found 1099511627776
> lr5 = 1,«x»
! a value to assign cannot have a format; remove it
> who «3»
! `who` takes a register, an element, a slice or xmem, found a computed value
> who «cycle»
! `cycle` counts the bundles and is not stored in the machine
> who r0[«200»]
! an index is 0 to 127, found 200
> who«»
! expected `who PLACE`, found the end
> when lr5 «lr6»
! expected an operator or the end, found `lr6`
> when «acc»
! a condition is a single value, found 128 values; use `any(...)` or `all(...)`
> goto «1.5»
! `goto` takes a cycle, a whole number, found 1.5
> goto «outer»
! `goto` takes a cycle, found the label `outer`, an address
> goto «lr5 - 1»
! a cycle is 0 or more, found -1
> goto «0x1_0000_0000»
! `goto` goes at most 10,000,000 cycles beyond those executed, found more
> dis «1024»
! an address is 0 to 1023, found 1024
> dis 3, «0»
! `dis` takes a number of bundles from 1 on, found 0
> help «foo»
! `help` takes one of who, when, goto, inrange, trip, dis, diff, memory, source, help, found `foo`
""".replace("1«,x»", "1,«x»")
    )


def test_what_is_no_expression_may_be_a_misspelt_command() -> None:
    check_session("""
> «foo»
! no register, label or name is called `foo`; `help` lists the commands
> «print»
! no register, label or name is called `print`; `help` lists the commands
> gtoo «5»
! expected an operator or the end, found `5`; did you mean the command `goto`?
> Who «lr5»
! expected an operator or the end, found `lr5`; did you mean the command `who`?
> «?»
! expected a value, found `?`; `help` lists the commands
> «foo» + 1
! no register, label or name is called `foo`
> «lr»
! no register is called `lr`; there are lr0 to lr15
> «xmem»
! `xmem` takes an address, `xmem[0x100 .. +16]`, found none
> help «gotoo»
! `help` takes one of who, when, goto, inrange, trip, dis, diff, memory, source, help, found \
`gotoo`; did you mean `goto`?
""")


def test_what_other_languages_write_is_answered_with_what_to_write_here() -> None:
    check_session("""
> lr5 «+=» 2
! no operator is called `+=`; write `lr5 = lr5 + 2`
> lr5«++»
! no operator is called `++`; write `lr5 = lr5 + 1`
> «=» 5
! `=` takes a register, an element, a slice or xmem before it, found none
> any «acc» > 0
! expected an operator or the end, found `acc`; `any` takes its argument in parentheses
> «xmem»(5)
! `xmem` takes its address in brackets, `xmem[0x100 .. +16]`, found none
> «$»lr5
! an expression has names, numbers and operators, found `$`; registers and names are written \
without it
> r0«.»3
! an expression has names, numbers and operators, found `.`; an element is `r0[3]`, a slice \
`r0[0..7]`
> lr1«@»incr + 1
! an expression has names, numbers and operators, found `@`; in a debugger `lr2@incr`, what an \
instruction sees of a register, stands alone
""")


def test_the_console_tells_what_an_instruction_sees_of_a_register() -> None:
    debugger = debugger_on(LOOP, NO_TRAPS)
    debugger.go_to(2)
    check_session(
        """
> lr4@incr
0 -> 1
> LR4 @ INCR
0 -> 1
> rows@incr
0 -> 1
> lr9@«incr»
! incr of the next bundle does not access lr9
> lr9@«add»
! the next bundle has no add, but: incr
> «r0»@incr
! expected a scalar register in front of @, found r0
""",
        debugger,
    )


def test_who_names_the_instruction_and_the_way_there() -> None:
    debugger = check_session("""
> goto 2000
cycle 2000, in front of bundle 3 (`inner`, line 6)
> who lr1
`lr1` was last written by `incr lr1 1` in bundle 3 (`inner`, line 6) at cycle 1997; \
`goto 1997` goes to the moment before it
> who xmem[383]
`xmem[383]` was last written by `str_acc_reg lr5 cr0` in bundle 3 (`inner`, line 6) at cycle 9; \
`goto 9` goes to the moment before it
> who rows
`rows` was last written by `incr lr4 1` in bundle 2 (`outer`, line 5) at cycle 1978; \
`goto 1978` goes to the moment before it
> who mask[2][5]
no instruction has written `mask[2][5]` since cycle 0, where the history begins
> who pc
`pc` was last written by bundle 5 (`inner+2`, line 9) at cycle 1999; \
`goto 1999` goes to the moment before it
> mask[2][6] = 1
1
> who mask[2]
`mask[2]` was last changed by hand at cycle 2000; `goto 2000` goes there
> pc = 5
5
> who pc
`pc` was last changed by hand at cycle 2000; `goto 2000` goes there
> goto 0
cycle 0, in front of bundle 0 (line 2)
> who pc
no instruction has written `pc` since cycle 0, where the history begins
""")
    assert debugger.cycle == 0


def test_when_tells_since_when_a_condition_holds() -> None:
    check_session("""
> goto 2000
cycle 2000, in front of bundle 3 (`inner`, line 6)
> when rows > 50
`rows > 50` became true at cycle 1303, after bundle 2 (`outer`, line 5); it holds now; \
`goto 1303` goes there
> when lr1 == 3
`lr1 == 3` became true at cycle 1986, after bundle 3 (`inner`, line 6); \
it does not hold any more; `goto 1986` goes there
> when cycle >= 1000
`cycle >= 1000` became true at cycle 1000, after bundle 5 (`inner+2`, line 9); it holds now; \
`goto 1000` goes there
> when rows > 500
`rows > 500` has not held up to now, cycle 2000
> when rows < 500
`rows < 500` held from the beginning, cycle 0; it holds now
> when 1 // (lr1 - 2) == 1
`1 // (lr1 - 2) == 1` became true at cycle 1986, after bundle 3 (`inner`, line 6); \
it does not hold any more; `goto 1986` goes there
""")


def test_a_question_leaves_a_shared_context_at_its_cycle() -> None:
    debugger = debugger_on(LOOP, NO_TRAPS)
    debugger.go_to(500)
    context = LiveContext(debugger.state, debugger.cycle)
    console = Console(debugger, lambda: context)
    assert "became true at cycle 400" in console.run("when cycle == 400").text
    assert console.run("cycle").text == "500 (0x000001f4)"


def test_goto_moves_both_ways_and_says_where_it_ends() -> None:
    debugger = check_session("""
> goto 100
cycle 100, in front of bundle 4 (`inner+1`, line 7)
> goto -60
cycle 40, in front of bundle 5 (`inner+2`, line 9)
> goto +(2 * 5)
cycle 50, in front of bundle 3 (`inner`, line 6)
> goto cycle + 1
cycle 51, in front of bundle 4 (`inner+1`, line 7)
> goto -100
cycle 0, in front of bundle 0 (line 2): the history begins there
> goto 10_000
cycle 3331, halted by `bkpt` in bundle 7 (`inner+4`, line 12)
> who lr4
`lr4` was last written by `incr lr4 1` in bundle 2 (`outer`, line 5) at cycle 3304; \
`goto 3304` goes to the moment before it
""")
    assert debugger.state.is_halted


def test_a_fault_ends_the_way() -> None:
    debugger = debugger_on("set lr1 -1;;\nbad: ldr_mult_reg r0 lr1 cr0;;\nbkpt;;")
    answer = console_on(debugger).run("goto 100")
    assert answer.text.startswith("cycle 1, fault in bundle 1 (`bad`, line 2): ")
    assert answer.stop is not None
    assert answer.stop.reason is StopReason.FAULT


def test_dis_shows_program_memory_with_labels_and_lines() -> None:
    check_session("""
> goto 100
cycle 100, in front of bundle 4 (`inner+1`, line 7)
> dis
      1  line 3          set lr3 128;;
      2  line 5   outer: incr lr4 1;;
      3  line 6   inner: incr lr1 1; str_acc_reg lr5 cr0;;
=>    4  line 7          add lr5 lr5 lr3; ldr_mult_reg r0 lr1 cr1;;
      5  line 9          break.ifeq lr1 5; blt lr1 lr2 inner;;
      6  line 11         set lr1 0; blt lr4 lr3 outer;;
      7  line 12         bkpt;;
> dis outer 2
      2  line 5  outer: incr lr4 1;;
      3  line 6  inner: incr lr1 1; str_acc_reg lr5 cr0;;
> dis pc + 2, 1
      6  line 11  set lr1 0; blt lr4 lr3 outer;;
> dis 7 900
      7  line 12  bkpt;;
> dis 1000
   1000    (nothing was loaded here; it does nothing)
""")


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


def test_assignments_are_repeated_by_time_travel() -> None:
    check_session("""
> goto 100
cycle 100, in front of bundle 4 (`inner+1`, line 7)
> rows = 100
100 (0x00000064)
> goto 99
cycle 99, in front of bundle 3 (`inner`, line 6)
> rows
4
> goto 100
cycle 100, in front of bundle 4 (`inner+1`, line 7)
> rows
100 (0x00000064)
""")


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


@settings(max_examples=60)
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
