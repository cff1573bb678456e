"""`ipu-lint --show-settings`: what it prints is a configuration that says the same."""

from __future__ import annotations

from pathlib import Path

from ipu_asm.cli.lint.command import main
from ipu_asm.config import Configuration
from ipu_asm.config.toml_settings import parse_settings
from tests.cli.commands import run

SETTINGS = """\
isa = "edgenpu"
extend-exclude = ["a \\"b\\""]
respect-gitignore = false
include-paths = ["include", "more\\\\x"]
[isa-by-glob]
"npu/*.s" = "xdna2"
[memory]
colossus = "gc2"
[defines]
WIDTH = 4
NAME = "x"
[template."k/*.asm"]
contexts = [{cpr = 3, deep = [1, {a = true}]}]
[kernel."conv*.s"]
cr = {1 = 0x20000, 4 = [64, 128]}
[kernel."conv*.s".run]
dtype = "int8"
elu-alpha = 0.5
quantize = false
cr = {3 = 5}
load = ["x.npy@0x0", "random:7@0x100:16x8:i8"]
define = {taps = 3}
[lint]
select = ["E", "W"]
ignore = ["unused-label"]
fail-level = "hint"
[lint.per-file-ignores]
"tests/**" = ["W"]
[format]
style = "bundle"
mnemonic-case = "lower"
"""


FILES = {"a.s": "# isa: ipu\nbkpt;;\n"}


def shown(*arguments: str) -> str:
    """What is printed about the settings of the file."""
    ran = run(main, ["--show-settings", *arguments])
    assert (ran.status, ran.err) == (0, "")
    return ran.out


def settings_in(text: str) -> Configuration:
    """The settings of a configuration file with this text."""
    found, findings = parse_settings(text, "ipu.toml")
    assert (found is not None, findings) == (True, [])
    return found or Configuration()


def test_the_settings_of_a_file_are_those_of_its_configuration() -> None:
    Path("ipu.toml").write_text(SETTINGS)
    text = shown("a.s")
    assert text.startswith(f'# a.s: {Path("ipu.toml").absolute()}\nisa = "ipu"  # a.s:1\n')
    given = settings_in(SETTINGS)
    expected = given._replace(isa="ipu", exclude=("node_modules", "__pycache__"))
    assert settings_in(text) == expected


def test_without_a_configuration_the_defaults_are_shown() -> None:
    text = shown("--isa", "xdna1")
    assert text.splitlines()[:2] == ["# a.s: no configuration file", 'isa = "xdna1"  # --isa']
    assert settings_in(text).select == ("ALL",)
