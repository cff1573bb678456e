"""The commands of `ipu-run --interactive`: sessions, and what holds for all commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.cli.run.interactive.commands import TABLE
from ipu_asm.debugger.console import COMMANDS as CONSOLE
from tests.cli.sessions import FOLDER, FixedScreen, answer, play, session_on
from tests.scripts import Script, titled_scripts


@pytest.mark.parametrize("script", titled_scripts(FOLDER))
def test_a_session_shows_what_is_written_down(script: Script) -> None:
    assert play(script) == script.lines


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


@given(st.lists(LINES, min_size=1, max_size=6))
def test_any_line_is_answered(lines: list[str]) -> None:
    session = session_on()
    for line in lines:
        if not line.strip().startswith(("load", "dump")):
            answer(session, line)
    assert answer(session, "cycle").split()[0].isdigit()
