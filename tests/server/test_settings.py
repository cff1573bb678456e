"""Settings as clients send them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ipu_asm.config import Configuration
from ipu_lsp.server.settings import Settings, read_settings, unwrap_section

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["ipu", "isa", "lint", "select", "enable"]), inner)
    ),
)


def check_settings(section: Any, expected: Settings, complaints: int = 0) -> None:
    """The section has these settings and so many mistakes."""
    reading = read_settings(section)
    assert reading.settings == expected
    assert len(reading.complaints) == complaints


def test_every_setting_is_read() -> None:
    lint = {"enable": False, "select": ["E"], "ignore": [], "extendSelect": ["H101", "W"]}
    expected = Settings("edgenpu", False, ("E",), (), ("H101", "W"))
    check_settings({"isa": "edgenpu", "lint": lint, "trace": {"server": "off"}}, expected)


def test_values_and_include_paths_are_read() -> None:
    section = {"defines": {"cols": 4, "DEPTH": "m3"}, "includePaths": ["../headers"]}
    expected = Settings(defines={"cols": 4, "DEPTH": "m3"}, include_paths=("../headers",))
    check_settings(section, expected)


@pytest.mark.parametrize(
    "section", [{"defines": {"a b": 1}}, {"defines": {"a": None}}, {"includePaths": ["/"]}]
)
def test_values_and_paths_are_checked_as_in_configuration_files(section: Any) -> None:
    check_settings(section, Settings(), complaints=1)


@pytest.mark.parametrize("section", [None, {}, {"lint": None}, {"isa": None, "lint": {}}])
def test_what_is_not_set_is_none(section: Any) -> None:
    check_settings(section, Settings())


@pytest.mark.parametrize(
    "section", [3, "ipu", {"isa": True}, {"lint": {"enable": 1}}, {"lint": {"ignore": "E"}}]
)
def test_another_type_is_a_mistake_and_not_set(section: Any) -> None:
    check_settings(section, Settings(), complaints=1)


@given(JSON)
def test_no_json_at_all_raises(section: Any) -> None:
    read_settings(unwrap_section(section))


def test_a_selection_in_the_editor_stands_for_the_files_whole_choice() -> None:
    file = Configuration(select=("W",), extend_select=("H101",), ignore=("W101",))
    merged = Settings(select=("E",), ignore=("E101",)).over(file)
    assert (merged.select, merged.extend_select, merged.ignore) == (("E",), (), ("E101",))


def test_without_a_selection_the_editor_adds_to_the_files_choice() -> None:
    file = Configuration(select=("W",), extend_select=("H101",), ignore=("W101",))
    merged = Settings(extend_select=("E",), ignore=("W102",)).over(file)
    assert merged.select == ("W",)
    assert merged.extend_select == ("H101", "E")
    assert merged.ignore == ("W101", "W102")


def test_an_instruction_set_in_the_editor_counts_more_than_all_of_the_file() -> None:
    file = Configuration(isa="ipu", isa_by_glob=(("*.s", "ipu"),))
    merged = Settings(isa="edgenpu").over(file)
    assert (merged.isa, merged.isa_by_glob) == ("edgenpu", ())


def test_an_empty_list_is_an_empty_object_as_lua_has_it() -> None:
    assert read_settings([]) == read_settings({})
    assert read_settings([1]).complaints
