"""The commands of `ipu-run --interactive`: what is typed behind `>`, and the answer below it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from ipu_asm.cli.run.interactive.commands import TABLE
from ipu_asm.debugger.console import COMMANDS as CONSOLE
from tests.cli.sessions import FixedScreen, answer, check_session, session_on


def test_breakpoints_stop_where_they_stand_and_conditions_and_hits_hold() -> None:
    check_session("""
> b inner if lr1 == 2
breakpoint 1 at bundle 3 (`inner`, line 7), if lr1 == 2
> c
breakpoint 1, cycle 5, bundle 3 (`inner`, line 7)
=> 7      incr lr1 1; str_acc_reg lr5 cr0;
=> 8      blt lr1 lr2 inner;;    # compares the old lr1
> p lr1
lr1 = 2 was 0
> info breakpoints
  1  breakpoint bundle 3 (`inner`, line 7), if lr1 == 2, stopped 1x
runs also stop at: break, fault, assertion (`help catch`)
> delete 1
deleted breakpoint 1
> tb k.s:9
breakpoint 2 at bundle 4 (`inner+1`, line 9), once
> c
breakpoint 2, cycle 9, bundle 4 (`inner+1`, line 9)
=> 9      add lr5 lr5 lr3; blt lr4 lr2 outer;;
> b outer hits 2
breakpoint 3 at bundle 2 (`outer`, line 5), hits 2
> b
breakpoint 4 at bundle 4 (`inner+1`, line 9)
> info b
  3  breakpoint bundle 2 (`outer`, line 5), hits 2
  4  breakpoint bundle 4 (`inner+1`, line 9)
runs also stop at: break, fault, assertion (`help catch`)
> run
breakpoint 4, cycle 9, bundle 4 (`inner+1`, line 9)
=> 9      add lr5 lr5 lr3; blt lr4 lr2 outer;;
> ignore 2 0
! `ignore` takes numbers of breakpoints (3, 4), found `2`
> cond 2 lr4 == 2
! `condition` takes numbers of breakpoints (3, 4), found `2`
> run
breakpoint 4, cycle 9, bundle 4 (`inner+1`, line 9)
=> 9      add lr5 lr5 lr3; blt lr4 lr2 outer;;
> log inner element {lr1}
log point 5 at bundle 3 (`inner`, line 7), prints "element {lr1}"
> d 2 3
! `delete` takes numbers of breakpoints (3, 4, 5), found `2`
> until outer
breakpoint 3, cycle 10, bundle 2 (`outer`, line 5)
=> 5      incr lr4 1;;
> disable
> run
halted by `bkpt` in bundle 5 (`inner+2`, line 10)
cycle 23, halted; `back`, `rc` and `restart` go back
""")


def test_moves_go_forwards_and_back() -> None:
    check_session("""
> s
cycle 1, bundle 1 (line 3)
=> 3      set lr3 128;;
> s 2
cycle 3, bundle 3 (`inner`, line 7)
=> 7      incr lr1 1; str_acc_reg lr5 cr0;
=> 8      blt lr1 lr2 inner;;    # compares the old lr1
> next
cycle 4, bundle 3 (`inner`, line 7)
=> 7      incr lr1 1; str_acc_reg lr5 cr0;
=> 8      blt lr1 lr2 inner;;    # compares the old lr1
> out
cycle 9, bundle 4 (`inner+1`, line 9)
=> 9      add lr5 lr5 lr3; blt lr4 lr2 outer;;
> until 7
cycle 11, bundle 3 (`inner`, line 7)
=> 7      incr lr1 1; str_acc_reg lr5 cr0;
=> 8      blt lr1 lr2 inner;;    # compares the old lr1
> until lr4 == 3
`lr4 == 3` holds, cycle 14, bundle 3 (`inner`, line 7)
=> 7      incr lr1 1; str_acc_reg lr5 cr0;
=> 8      blt lr1 lr2 inner;;    # compares the old lr1
> until inner+1
cycle 15, bundle 4 (`inner+1`, line 9)
=> 9      add lr5 lr5 lr3; blt lr4 lr2 outer;;
> until
cycle 22, bundle 5 (`inner+2`, line 10)
=> 10      bkpt;;
> c
halted by `bkpt` in bundle 5 (`inner+2`, line 10)
cycle 23, halted; `back`, `rc` and `restart` go back
> c
! the program has ended: `restart` begins again, `back` and `rc` go back
> back
cycle 22, bundle 5 (`inner+2`, line 10)
=> 10      bkpt;;
> back 100
cycle 0, bundle 0 (line 1)
=> 1      set lr1 0;
=> 2      set lr2 5;;            # two lines, one bundle
> finish
halted by `bkpt` in bundle 5 (`inner+2`, line 10)
cycle 23, halted; `back`, `rc` and `restart` go back
> rn
cycle 22, bundle 5 (`inner+2`, line 10)
=> 10      bkpt;;
> rc
at the beginning of the history
cycle 0, bundle 0 (line 1)
=> 1      set lr1 0;
=> 2      set lr2 5;;            # two lines, one bundle
> goto 14
cycle 14, bundle 3 (`inner`, line 7)
=> 7      incr lr1 1; str_acc_reg lr5 cr0;
=> 8      blt lr1 lr2 inner;;    # compares the old lr1
> goto -1
cycle 13, bundle 2 (`outer`, line 5)
=> 5      incr lr4 1;;
> restart
cycle 0, bundle 0 (line 1)
=> 1      set lr1 0;
=> 2      set lr2 5;;            # two lines, one bundle
""")


def test_data_breakpoints_name_the_change_and_its_instruction() -> None:
    check_session("""
> watch lr5
watchpoint 1 at lr5
> c
watchpoint 1: `lr5` changed from 0 to 128 by `add lr5 lr5 lr3` in bundle 4
cycle 10, bundle 2 (`outer`, line 5)
=> 5      incr lr4 1;;
> c
watchpoint 1: `lr5` changed from 128 to 256 by `add lr5 lr5 lr3` in bundle 4
cycle 13, bundle 2 (`outer`, line 5)
=> 5      incr lr4 1;;
> rc
watchpoint 1: `lr5` changed from 0 to 128 by `add lr5 lr5 lr3` in bundle 4
cycle 10, bundle 2 (`outer`, line 5)
=> 5      incr lr4 1;;
> who lr5
`lr5` was last written by `add lr5 lr5 lr3` in bundle 4 (`inner+1`, line 9) at cycle 9; `goto 9` \
goes to the moment before it
> when lr1 == 4
`lr1 == 4` became true at cycle 7, after bundle 3 (`inner`, line 7); it does not hold any more; \
`goto 7` goes there
> who lr2
`lr2` was last written by `set lr2 5` in bundle 0 (line 2) at cycle 0; `goto 0` goes to the moment \
before it
> awatch xmem[0 .. +4] hits 3
watchpoint 2 at xmem[0 .. +4] when read or changed, hits 3
> i b
  1  watchpoint lr5, stopped 3x
  2  watchpoint xmem[0 .. +4] when read or changed, hits 3
runs also stop at: break, fault, assertion (`help catch`)
""")


def test_values_are_shown_and_changed() -> None:
    check_session("""
> goto 3
cycle 3, bundle 3 (`inner`, line 7)
=> 7      incr lr1 1; str_acc_reg lr5 cr0;
=> 8      blt lr1 lr2 inner;;    # compares the old lr1
> lr1
0
> p lr1
lr1 = 0
> p/x lr1 + 40
lr1 + 40,x = 0x28
> lr1 = 4
4
> set lr2 = 9
lr2 = 9
> changed
lr1 = 4 was 0
lr2 = 9 was 0
lr3 = 128 (0x80) was 0
lr4 = 1 was 0
> display lr1
1: lr1 = 4 was 0
> disp/x lr2
2: lr2,x = 0x00000009 was 0x00000000
> s
cycle 4, bundle 3 (`inner`, line 7)
=> 7      incr lr1 1; str_acc_reg lr5 cr0;
=> 8      blt lr1 lr2 inner;;    # compares the old lr1
1: lr1 = 5 was 4
2: lr2,x = 0x00000009
> und 1
> disp
2: lr2,x = 0x00000009
> acc[0..3] = 7
[7, 7, 7, 7]
> p acc[0..7]
acc[0..7]: 8 x i32, min 0, max 7, 4 changed
[0]  7 7 7 7 0 0 0 0
> x/4u8,x 0
xmem[0x0 .. +4 : u8],x = [0x00, 0x00, 0x00, 0x00]
""")


def test_a_vector_that_is_read_before_its_bundle_writes_it_is_old() -> None:
    kernel = """\
    mult.ee r0 lr0 lr0 lr0; acc; aaq; xmem.store_aaq_result lr1 cr0;;
    mult.ee r0 lr0 lr0 lr0; acc.first; str_acc_reg lr1 cr0; agg max value cr0 aaq0;;
    bkpt;;
"""
    check_session(
        """
> view bundle
cycle 0, bundle 0 (line 1)
  xmem  xmem.store_aaq_result lr1 cr0  lr1 0, cr0 0, aaq_result (old), xmem[0x0 .. +128]
  mult  mult.ee r0 lr0 lr0 lr0         lr0 0
  acc   acc
  aaq   aaq
> s
cycle 1, bundle 1 (line 2)
=> 2      mult.ee r0 lr0 lr0 lr0; acc.first; str_acc_reg lr1 cr0; agg max value cr0 aaq0;;
> view bundle
cycle 1, bundle 1 (line 2)
  xmem  str_acc_reg lr1 cr0     lr1 0, cr0 0, r_acc (old), xmem[0x0 .. +512]
  mult  mult.ee r0 lr0 lr0 lr0  lr0 0
  acc   acc.first
  aaq   agg max value cr0 aaq0  cr0 0, aaq0 0 -> 0
""",
        session_on(kernel),
    )


def test_registers_of_the_host_make_trips_known() -> None:
    kernel = "set lr1 0; add lr2 cr3 lr0;;\nrow: incr lr1 1; bne lr1 lr2 row;;\nbkpt;;\n"
    check_session(
        """
> loops
   row: bundle 1, line 2, 20 trips
> goto 5
cycle 5, bundle 1 (`row`, line 2)
=> 2  row: incr lr1 1; bne lr1 lr2 row;;
> where
#0  bundle 1 (`row`, line 2)
#1  in loop row, bundle 1, trip 5 of 20
> set lr9 = 1
lr9 = 1
> loops
=> row: bundle 1, line 2, trips not known
> where
#0  bundle 1 (`row`, line 2)
#1  in loop row, bundle 1
""",
        session_on(kernel, cr={3: 19}),
    )


def test_the_program_is_described() -> None:
    check_session("""
> goto 3
cycle 3, bundle 3 (`inner`, line 7)
=> 7      incr lr1 1; str_acc_reg lr5 cr0;
=> 8      blt lr1 lr2 inner;;    # compares the old lr1
> where
#0  bundle 3 (`inner`, line 7)
#1  in loop inner, bundle 3, trip 1 of 6
#2  in loop outer, bundles 2 to 4, trip 1 of 5
> loops
=> outer: bundles 2 to 4, line 5, 5 trips
=> inner: bundle 3, line 7, 5 x 1 to 6 trips
> info labels
outer: bundle 2, line 5
inner: bundle 3, line 7
> view bundle
cycle 3, bundle 3 (`inner`, line 7)
  lr    incr lr1 1           lr1 0 -> 1
  xmem  str_acc_reg lr5 cr0  lr5 0, cr0 0, xmem[0x0 .. +512]
  cond  blt lr1 lr2 inner    lr1 0 (old), lr2 5
> list outer
    1      set lr1 0;
    2      set lr2 5;;            # two lines, one bundle
    3      set lr3 128;;
    4  outer:
    5      incr lr4 1;;
    6  inner:
=>  7      incr lr1 1; str_acc_reg lr5 cr0;
=>  8      blt lr1 lr2 inner;;    # compares the old lr1
    9      add lr5 lr5 lr3; blt lr4 lr2 outer;;
   10      bkpt;;
   11
> list
! the source ends there; `list LOCATION` shows another part
> dis 2 2
      2  line 5  outer: incr lr4 1;;
=>    3  line 7  inner: incr lr1 1; str_acc_reg lr5 cr0; blt lr1 lr2 inner;;
""")


def test_mistakes_say_what_is_expected() -> None:
    check_session("""
> b nope
! expected a label, `label+N`, a line, `FILE:LINE` or `*ADDRESS`, found `nope`
> b inne
! no label is called `inne`; did you mean `inner`?
> b other.s:3
! the source of the program is `k.s`, found `other.s`
> b 99
! the source has lines 1 to 11, found 99 (`*99` is bundle 99)
> b *99
! the program has bundles 0 to 5, found 99 for `*99`
> b inner if foo
! `foo`: no register, label or name is called `foo`
> b inner if
! expected an expression behind `if`, as in `if lr1 > 3`, found none
> b inner hits x
! a hit condition is like `5`, `>=5` or `%10`, found `x`
> d 9
! `delete` takes numbers of breakpoints (none), found `9`
> d
deleted nothing: there are no breakpoints
> cond
! expected the number of a breakpoint behind `condition`
> watch 3
! a watch takes a register, an element, a slice or xmem, found `3`; `until EXPRESSION` stops \
where a condition holds
> watch
! expected a register, an element, a slice or a part of xmem
> catch foo
! `catch` takes one of break, bkpt, fault, nan, overflow, assertion, found `foo`
> catch nan maybe
! expected `off` or `if EXPRESSION` behind `nan`, found `maybe`
> x
! expected an address, as in `x cr0 + lr1` or `x/16f32 0x20000`
> p
! expected an expression, as in `print acc[0..7]` or `p/x lr4`
> p/3 lr1
! `print/FORMAT` takes a format such as `x` or `i8`, found a count
> contineu
! no register, label or name is called `contineu`; did you mean the command `continue`?
> w
! `w` is ambiguous: watch, when, where, who
> s 0
! `step` takes a number from 1 to 10,000,000, found 0
> s lr
! no register is called `lr`; there are lr0 to lr15
> back x
! no register, label or name is called `x`
> until foo
! `foo`: no register, label or name is called `foo`
> out 3
! `out` takes nothing, found `3`
> set view huge
! `set view` takes one of full, bundle, source, line, found `huge`
> set view
! `set view` takes one of full, bundle, source, line, found nothing
> load
! expected a file and its place, as in `load x.npy@0x2000`
> dump
! expected a file and a place, as in `dump out.npy@0x4000:64:i32`
> x/99999999 0
! `x` takes a count of up to 6 digits, found `99999999`
> set
! expected `set PLACE = VALUE` or `set view full|bundle|source|line`
> undisplay 3
! `undisplay` takes numbers of displays (none), found `3`
> help nope
! no command is called `nope`; `help` lists all
> info
! `info` takes one of registers, breakpoints, display, loops, memory, labels, program, found nothing
> info lops
! `info` takes one of registers, breakpoints, display, loops, memory, labels, program, found \
`lops`; did you mean `loops`?
> view all
! `view` takes one of full, bundle, source, line, found `all`
> load nowhere.bin@0
! nowhere.bin: no such file or directory
> load x
! expected FILE@ADDR[:LENGTH][:DTYPE], found `x`
> dump x@0
! expected FILE@ADDR:LENGTH[:DTYPE], found `x@0`
> dump out.bin@0x200000:4
! xmem has 0x200000 bytes, found address 0x200000
> p xmem[0 .. +5000]
! a table has up to 4,096 elements, found 5,000: take a part, as in `[0..127]`
""")


def test_what_operands_see_is_shown_also_where_the_bundle_faults() -> None:
    fault = "set lr0 128;;\nset lr1 -256;;\nx: add lr0 lr0 lr1; str_acc_reg lr0 cr0; b x;;\n"
    session = session_on(fault)
    assert answer(session, "c").startswith("fault in bundle 2 (`x`, line 3): an access must end")
    check_session(
        """
> view bundle
cycle 2, bundle 2 (`x`, line 3)
  lr    add lr0 lr0 lr1      lr0 128, lr1 -256
  xmem  str_acc_reg lr0 cr0  lr0 -128 (new), cr0 0, faults
  cond  b x
> back
cycle 1, bundle 1 (line 2)
=> 2  set lr1 -256;;
> lr0
128 (0x00000080)
""",
        session,
    )


def test_looking_at_a_bundle_changes_nothing() -> None:
    looking, plain = session_on(), session_on()
    for session in (looking, plain):
        session.view = "bundle" if session is looking else "line"
        for line in ("b inner if lr1 > 2", "c", "s 3", "watch xmem[0 .. +512]", "c", "rc"):
            answer(session, line)
    assert looking.debugger.cycle == plain.debugger.cycle > 5
    assert looking.debugger.state.save() == plain.debugger.state.save()
    assert answer(looking, "who lr1") == answer(plain, "who lr1")


def test_registers_stand_in_columns_that_fit() -> None:
    for width in (40, 80, 160):
        session = session_on(screen=FixedScreen(width))
        shown = answer(session, "info registers").splitlines()
        assert max(map(len, shown)) <= width
        assert "mask[0] to mask[7]" in shown[-1]
    assert answer(session, "i r lr1, cr15") == "lr1 = 0\ncr15 = 0  # int8"


def test_vectors_are_tables_as_wide_as_the_screen() -> None:
    session = session_on(screen=FixedScreen(40))
    answer(session, "r0[3] = -7")
    answer(session, "r0[4] = 100")
    shown = answer(session, "p r0").splitlines()
    assert shown == [
        "r0: 128 x i8, min -7, max 100",
        "  [0]    0   0   0  -7 100   0   0   0",
        "  [8]    0   0   0   0   0   0   0   0",
        "    *  up to [120]",
    ]


def test_colours_mark_what_has_changed_and_what_is_no_number() -> None:
    session = session_on(screen=FixedScreen(has_color=True))
    answer(session, "s")
    answer(session, "acc[1] = -3")
    assert "\x1b[1;33m-3\x1b[0m" in answer(session, "p acc[0..7]")
    answer(session, "s")
    assert "\x1b[34m-3\x1b[0m" in answer(session, "p acc[0..7]")
    answer(session, "acc[2 : f32] = nan")
    assert "\x1b[1;31m" in answer(session, "p acc[0..7],f32")


def test_the_source_stands_beside_the_bundle_where_there_is_room() -> None:
    wide = answer(session_on(screen=FixedScreen(130)), "view full").splitlines()
    assert wide[0] == "cycle 0, bundle 0 (line 1)"
    assert wide[1].split(" | ")[1] == "lr  set lr1 0  lr1 0"
    assert wide[2].startswith("=> 2")
    assert wide[2].split(" | ")[1] == "lr  set lr2 5  lr2 0 -> 5"
    narrow = answer(session_on(screen=FixedScreen(60)), "view full").splitlines()
    assert narrow[-1] == "  lr  set lr2 5  lr2 0 -> 5"
    assert all(len(line) <= 60 for line in narrow)


def test_every_command_has_help_and_an_abbreviation_means_one_command() -> None:
    session = session_on()
    overview = answer(session, "help")
    for name, command in TABLE.commands.items():
        assert f"  {name} " in overview
        assert command.summary in answer(session, f"help {name}")
        assert TABLE.named(name) is command
    for name in CONSOLE:
        assert f"  {name}" in overview
        assert answer(session, f"help {name}")
    short = [each for command in TABLE.commands.values() for each in command.short]
    assert len(short) == len(set(short) - set(TABLE.commands))
    assert max(map(len, overview.splitlines())) <= 80


def test_a_name_of_the_program_is_no_abbreviation() -> None:
    session = session_on("cont: incr lr1 1;;\nba: b cont;;\n")
    assert answer(session, "ba") == "1"
    assert answer(session, "bac").startswith("at the beginning")
    assert answer(session, "p cont") == "cont = 0"


LINES = st.text(st.characters(codec="utf-8"), max_size=40) | st.builds(
    "{} {}".format,
    st.sampled_from([*TABLE.by_word, *CONSOLE]),
    st.sampled_from(
        [
            "",
            "inner",
            "1",
            "-1",
            "lr1",
            "*2",
            "7 if lr1",
            "acc",
            "/x",
            "/4 0",
            "nan off",
            "x@0",
            "=",
        ]
    )
    | st.text(max_size=12),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=6))
def test_any_line_is_answered(lines: list[str]) -> None:
    session = session_on()
    for line in lines:
        if not line.strip().startswith(("load", "dump")):
            answer(session, line)
    assert answer(session, "cycle").split()[0].isdigit()
