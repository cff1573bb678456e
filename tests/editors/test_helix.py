"""A real Helix with the configuration of `docs/editors/helix.md`, driven by its keys."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, Iterator

import pytest

from ipu_asm.targets.ipu.instruction_spec import INSTRUCTION_SPEC
from tests.editors.helix import ESCAPE, RETURN, Helix
from tests.editors.install_cache import NotInstalledError, command
from tests.editors.kernels import DOCUMENTED, LOOP, place
from tests.editors.patience import soon
from tests.editors.user import User, phrases_of

MISTAKEN = LOOP.replace("incr lr1 1", "icnr lr1 1")
MESSAGE = "unknown mnemonic `icnr`; did you mean `incr`?"
MISTAKE = place(MISTAKEN, "icnr")
BRANCH = place(LOOP, "lr2 loop", "loop")

Open = Callable[..., Helix]


@pytest.fixture
def user(tmp_path: Path) -> User:
    """Somebody who followed `docs/editors/helix.md`."""
    try:
        command("helix")
    except NotInstalledError as error:
        pytest.fail(str(error), pytrace=False)
    return User(tmp_path, "helix.md")


@pytest.fixture
def opened(user: User) -> Iterator[Open]:
    """Opens a text as a new file in a Helix of its own."""
    running: list[Helix] = []

    def open_text(text: str, name: str = "") -> Helix:
        running.append(Helix(user, user.kernel(text, name)))
        return running[-1]

    yield open_text
    for helix in running:
        helix.__exit__()
    assert user.complaints() == ""


def check_finding(helix: Helix) -> None:
    """Asserts that Helix comes to show the mistake, with its message where the cursor is on it."""
    helix.check_shows("● 1")
    helix.put_cursor(*MISTAKE)
    helix.check_shows(MESSAGE)


@pytest.mark.parametrize("name", ["a.ipu", "b.s", "c.asm"])
def test_a_misspelt_mnemonic_is_told_of_whatever_the_extension(opened: Open, name: str) -> None:
    check_finding(opened(MISTAKEN, name))


def test_an_edgenpu_file_is_checked_by_the_rules_of_edgenpu(opened: Open) -> None:
    helix = opened("; nothing to do\nNOPE 100\n", "d.edgenpu")
    helix.put_cursor(1, 0)
    helix.check_shows("`NOPE`", "NOP")


def test_the_findings_of_the_file_stand_in_a_list(opened: Open) -> None:
    helix = opened(MISTAKEN)
    helix.check_shows("● 1")
    helix.type(" d")
    helix.check_shows("ERROR", "E101", "unknown mnemonic `icnr`")


def test_the_key_for_help_opens_the_page_of_the_instruction(opened: Open) -> None:
    helix = opened(LOOP)
    helix.put_cursor(*place(LOOP, "incr"))
    helix.type(" k")
    page = INSTRUCTION_SPEC["lr"]["incr"]["doc"]
    helix.check_shows("reg = lr1", page.title, page.summary.split(". ")[0])


def test_completion_offers_only_what_the_bundle_has_a_slot_for(opened: Open) -> None:
    helix = opened(LOOP)
    helix.add_line("mult.ve r0 lr0 lr0 lr0 lr0; ")
    helix.type("\x18")
    assert "mult.ee" not in helix.check_shows("str_acc_reg", "acc  ")
    helix = opened(LOOP)
    helix.add_line("mult.ve r0 lr0 lr0 lr0 lr0;; mult")
    helix.type("\x18")
    helix.check_shows("lr0;;", "mult.ee")


def test_gd_on_a_branch_goes_to_its_label(opened: Open) -> None:
    helix = opened(LOOP)
    helix.put_cursor(*BRANCH)
    helix.type("gd")
    row, column = place(LOOP, "loop:")
    helix.check_shows(f"{row + 1}:{column + 1}")


def test_the_fix_mends_the_text_and_the_finding_goes(opened: Open) -> None:
    helix = opened(MISTAKEN)
    check_finding(helix)
    helix.type(" a")
    helix.check_shows("Replace by incr")
    helix.type(RETURN)
    helix.check_shows_no("● 1", "icnr")
    helix.check_saves(LOOP)


def test_a_label_is_renamed_with_the_branches_to_it(opened: Open) -> None:
    helix = opened(LOOP)
    helix.put_cursor(*BRANCH)
    helix.type(" r")
    helix.check_shows("rename-to:")
    helix.type("\x15turn", RETURN)
    helix.check_saves(LOOP.replace("loop:", "turn:").replace("lr2 loop", "lr2 turn"))


def test_format_tidies_the_file(opened: Open) -> None:
    helix = opened("# turns\nloop: incr lr1   1;\n b loop;;\n")
    helix.type(":format", RETURN)
    helix.check_shows("incr", "    b")
    helix.check_saves(
        "# turns\nloop: incr                  lr1 1;\n    b                     loop;;\n"
    )


def test_the_key_for_comments_writes_the_mark_of_the_language(opened: Open) -> None:
    helix = opened("# ends\nbkpt;;\n")
    helix.type("j\x03")
    helix.check_saves("# ends\n# bkpt;;\n")


def test_the_outline_lists_the_labels(opened: Open) -> None:
    helix = opened(LOOP)
    helix.type(" s")
    helix.check_shows("kind")
    helix.type("oo")
    helix.check_shows("function loop")
    helix.check_shows_no("loop+0")


def test_a_setting_of_the_document_leaves_a_rule_out(opened: Open, user: User) -> None:
    wrapped = "# useless\n    set lr0 40000;;\n    icnr lr0 1;;\n    bkpt;;\n"
    opened(wrapped).check_shows("● 1 ● 1")
    [setting] = phrases_of("helix.md", "config = ")
    languages = user.home / ".config" / "helix" / "languages.toml"
    text = languages.read_text("utf-8")
    languages.write_text(text.replace('"ipu-lsp"\n', f'"ipu-lsp"\n{setting}\n', 1), "utf-8")
    helix = opened(wrapped)
    helix.check_shows("● 1")
    helix.check_shows_no("● 1 ● 1")


def test_leaving_helix_ends_the_server(user: User) -> None:
    with Helix(user, user.kernel(MISTAKEN)) as helix:
        helix.check_shows("● 1")
        assert len(soon(user.running_servers, bool)) == 1
        helix.quit()
        assert soon(user.running_servers, []) == []


def test_a_kernel_is_debugged_to_its_end(opened: Open) -> None:
    helix = opened(LOOP)
    helix.put_cursor(*place(LOOP, "incr"))
    [start] = phrases_of("helix.md", ":debug-start ")
    helix.type(" Gb")
    helix.check_shows("Toggle breakpoint", "◯")
    helix.type(ESCAPE)
    helix.check_shows_no("Toggle breakpoint")
    helix.type(start.replace("FILE", helix.path.name), RETURN)
    helix.check_shows("▶   3", "because of entry")
    helix.type(" Gc")
    helix.check_shows("▶   6")
    helix.type("n")
    helix.check_shows("▶   7")
    helix.type("v")
    helix.check_shows("lr1: i32 = 1 was 0", "lr2: i32 = 8")


def test_a_kernel_starts_with_the_inputs_that_its_head_comment_names(opened: Open) -> None:
    helix = opened(DOCUMENTED)
    [start] = phrases_of("helix.md", ":debug-start ")
    helix.type(start.replace("FILE", helix.path.name), RETURN)
    helix.check_shows("▶   4", "because of entry")
    helix.type(" Gv")
    helix.check_shows("cr1: i32 = 0x20000")


@pytest.mark.parametrize(("dtype", "answer"), [("fp8_e4m3", "because of entry"), ("fp9", "dtype")])
def test_what_the_document_gives_a_kernel_reaches_the_debugger(
    opened: Open, user: User, dtype: str, answer: str
) -> None:
    [arguments] = phrases_of("helix.md", "dtype = ")
    given = arguments.replace("fp8_e4m3", dtype)
    languages = user.home / ".config" / "helix" / "languages.toml"
    text = languages.read_text("utf-8")
    languages.write_text(text.replace("stopOnEntry", f"{given}, stopOnEntry"), "utf-8")
    helix = opened(LOOP)
    helix.type(f":debug-start kernel {helix.path.name}", RETURN)
    helix.check_shows(answer)
