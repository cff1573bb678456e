"""The files of `docs/editors/kate.md`, read by a real Kate, and as Kate reads them.

A Kate without a screen cannot be asked what it shows, so it is its traffic that is looked at. The
rest is tried with a client of ours that starts what the settings say.
"""

from __future__ import annotations

import json
import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests.editors.install_cache import NotInstalledError, command
from tests.editors.kernels import COLUMN, MESSAGE, MISTAKEN, ROW, WRAPPED
from tests.editors.patience import soon
from tests.editors.plain_client import PlainClient
from tests.editors.user import User

SYNTAX = ".local/share/org.kde.syntax-highlighting/syntax/ipu.xml"
SETTINGS = ".config/kate/lspclient/settings.json"
LINE = "sample: set lr1 -128; # the loop steps before it loads"


# What Kate writes down when the user has switched the plugin on, and has let it start the server.
PLUGIN_IS_ON = "[Kate Plugins]\nlspclientplugin=true\n"
SERVER_IS_ALLOWED = "[lspclient]\nAllowedServerCommandLines={}\n"


@pytest.fixture
def user(tmp_path: Path) -> User:
    """Somebody who followed `docs/editors/kate.md`."""
    return User(tmp_path, "kate.md")


def check_traffic(user: User, path: Path, sent: str, answered: str) -> None:
    """Asserts that Kate, with a file open, comes to send something and to be answered."""
    server = user.home.parent / "bin" / "ipu-lsp"
    recorded = {"to": user.home / "to-server", "from": user.home / "from-server"}
    real = server.rename(server.with_name("real-ipu-lsp"))
    server.write_text(f'#!/bin/sh\ntee {recorded["to"]} | {real} "$@" | tee {recorded["from"]}\n')
    server.chmod(0o755)
    (user.home / ".config" / "katerc").write_text(SERVER_IS_ALLOWED.format(server))
    sessions = user.home / ".local" / "share" / "kate"
    sessions.mkdir()
    (sessions / "anonymous.katesession").write_text(PLUGIN_IS_ON)
    with (user.home / "editor.log").open("wb") as said:
        kate = subprocess.Popen(
            [command("kate"), "--new", "--block", path],
            env=user.environment,
            cwd=user.work,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
        )
    try:
        check_written(recorded["from"], answered)
        check_written(recorded["to"], sent)
    finally:
        kate.kill()
        kate.wait()


def check_written(file: Path, expected: str) -> None:
    """Asserts that a file comes to have a text, whatever its blanks."""

    def written() -> str:
        return file.read_text("utf-8").replace(" ", "") if file.exists() else ""

    assert expected in soon(written, lambda text: expected in text)


def syntax_of(user: User) -> ElementTree.Element:
    return ElementTree.parse(user.home / SYNTAX).getroot()


def check_findings(user: User, path: Path, **lint: Any) -> list[dict[str, Any]]:
    """The findings that come for a file, with settings below `lint`."""
    syntax = syntax_of(user)
    assert any(fnmatch(path.name, pattern) for pattern in syntax.attrib["extensions"].split(";"))
    [(language, server)] = json.loads((user.home / SETTINGS).read_text("utf-8"))["servers"].items()
    assert re.search(server["highlightingModeRegex"], syntax.attrib["name"])
    server["settings"]["ipu"]["lint"].update(lint)
    with PlainClient(user, server["command"], server["settings"]) as client:
        return client.findings(path, language)


def test_kate_opens_a_kernel_in_its_language_and_is_told_of_the_mistake(user: User) -> None:
    try:
        command("kate")
    except NotInstalledError as error:
        pytest.fail(str(error), pytrace=False)
    path = user.kernel(MISTAKEN, "a.s")
    check_traffic(user, path, '"languageId":"ipu-asm"', '"code":"E101"')
    assert user.complaints() == ""


@pytest.mark.parametrize("name", ["a.ipu", "b.s", "c.asm"])
def test_a_misspelt_mnemonic_is_found_whatever_the_extension(user: User, name: str) -> None:
    [finding] = check_findings(user, user.kernel(MISTAKEN, name))
    assert finding["range"]["start"] == {"line": ROW, "character": COLUMN}
    assert (finding["code"], finding["message"]) == ("E101", MESSAGE)


def test_a_setting_where_the_document_has_one_leaves_a_rule_out(user: User) -> None:
    path = user.kernel(WRAPPED)
    assert sorted(found["code"] for found in check_findings(user, path)) == ["E101", "W203"]
    assert [found["code"] for found in check_findings(user, path, ignore=["W"])] == ["E101"]


def test_the_syntax_colours_a_line_by_what_its_words_are(user: User) -> None:
    syntax = syntax_of(user)
    rules = syntax.findall(".//RegExpr")
    known = {item.attrib["name"] for item in syntax.findall(".//itemData")}
    assert {rule.attrib["attribute"] for rule in rules} <= known
    assert list(coloured(rules, LINE)) == [
        ("Label", "sample"),
        ("Instruction", "set"),
        ("Register", "lr1"),
        ("Number", "-128"),
        ("Comment", "# the loop steps before it loads"),
    ]


def coloured(rules: list[ElementTree.Element], line: str) -> list[tuple[str, str]]:
    """What Kate does: at each place the first rule that matches there takes what it matches."""
    found, place = [], 0
    while place < len(line):
        for rule in rules:
            if match := re.compile(rule.attrib["String"]).match(line, place):
                found.append((rule.attrib["attribute"], match[0]))
                place = match.end()
                break
        else:
            place += 1
    return found
