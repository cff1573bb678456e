"""The settings with which a file is expanded, and the contexts of a template."""

from __future__ import annotations

from pathlib import Path

from ipu_asm.config import Configuration, Context
from ipu_asm.source.expansion import DiskReader, SourceSettings, root_of, source_settings
from ipu_asm.source.jinja.contexts import contexts_of


def check_contexts(settings: SourceSettings, *expected: tuple[Context, str]) -> None:
    """A template is expanded with these variables, described in this way."""
    assert [tuple(context) for context in contexts_of(settings)] == list(expected)


def test_without_contexts_a_template_has_one_with_all_defines() -> None:
    check_contexts(SourceSettings(), ({}, ""))
    settings = SourceSettings({"a": 1, "b": 1}, overrides={"b": 2})
    check_contexts(settings, ({"a": 1, "b": 2}, "b=2"))


def test_a_context_counts_before_the_defines_of_the_project() -> None:
    settings = SourceSettings({"a": 1, "b": 1}, ({"a": 2}, {"a": 3}))
    check_contexts(settings, ({"a": 2, "b": 1}, "a=2"), ({"a": 3, "b": 1}, "a=3"))


def test_values_of_this_run_select_the_contexts_that_have_them() -> None:
    contexts = ({"a": 2, "b": 1}, {"a": 3, "b": 1}, {"a": 3, "b": 2})
    settings = SourceSettings({}, contexts, {"a": 3})
    check_contexts(settings, (contexts[1], "a=3 b=1"), (contexts[2], "a=3 b=2"))


def test_values_that_no_context_has_replace_those_of_all() -> None:
    contexts = ({"a": 2, "b": 1}, {"a": 3, "b": 1}, {"a": 3, "b": 2})
    settings = SourceSettings({}, contexts, {"a": 7})
    check_contexts(settings, ({"a": 7, "b": 1}, "a=7 b=1"), ({"a": 7, "b": 2}, "a=7 b=2"))


def test_contexts_written_in_the_file_come_in_place_of_configured_ones() -> None:
    settings = SourceSettings({}, ({"a": 1},))
    found = contexts_of(settings, [{"a": 2}, {"a": 3}, {"a": 2}])
    assert [context.variables for context in found] == [{"a": 2}, {"a": 3}]


def test_the_first_glob_that_fits_a_file_gives_its_contexts(tmp_path: Path) -> None:
    templates = (("k/*.asm", ({"a": 1},)), ("*.asm", ({"a": 2},)))
    ours = Configuration("ipu.toml", str(tmp_path), templates=templates)
    assert source_settings(str(tmp_path / "k/x.asm"), ours).contexts == ({"a": 1},)
    assert source_settings(str(tmp_path / "x.asm"), ours).contexts == ({"a": 2},)
    assert source_settings(str(tmp_path / "x.s"), ours).contexts == ()


def test_include_paths_are_relative_to_the_configuration(tmp_path: Path) -> None:
    ours = Configuration("ipu.toml", str(tmp_path), include_paths=("inc", "/opt/sdk"))
    settings = source_settings(str(tmp_path / "k" / "x.S"), ours, {"A": 1})
    assert settings.include_paths == (str(tmp_path / "inc"), "/opt/sdk")
    assert settings.root == str(tmp_path)
    assert settings.all_defines == {"A": 1}
    assert isinstance(settings.reader, DiskReader)


def test_a_text_without_a_file_reads_no_header() -> None:
    settings = source_settings(None, Configuration(defines={"A": 1}))
    assert settings == SourceSettings({"A": 1})


def test_the_root_is_the_configured_folder_else_that_of_version_control(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    file = str(inner / "x.S")
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere")
    assert root_of(file) == str(tmp_path / "a")
    assert root_of(file, str(tmp_path)) == str(tmp_path)
    assert root_of(file, str(tmp_path / "other")) == str(tmp_path / "a")
    assert source_settings(file).include_paths == (str(tmp_path / "a" / "include"),)


def test_without_either_the_root_is_the_folder_of_the_file(tmp_path: Path) -> None:
    assert root_of(str(tmp_path / "x.S")) == str(tmp_path)


def test_the_disk_reader_reads_regular_files_of_text(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text("\ufeff#define A 1\n", encoding="utf-8")
    (tmp_path / "b.h").write_bytes(b"\0")
    reader = DiskReader()
    header = reader.read(str(tmp_path / "a.h"))
    assert header is not None
    assert header.text == "#define A 1\n"
    assert reader.stamp(str(tmp_path / "a.h")) is not None
    for name in (str(tmp_path / "b.h"), str(tmp_path), "/dev/zero", "/nowhere", "a\0b"):
        assert reader.read(name) is None
