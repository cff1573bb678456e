"""Settings of the editor in the section `ipu`, which correspond to those of configuration files.

Each setting is judged alone, so that an invalid one costs only itself.
"""

from __future__ import annotations

from typing import Any, Mapping

from ipu_asm.config.configuration import FORMAT_STYLES, MNEMONIC_CASES, Configuration, Context
from ipu_asm.config.schema import (
    Field,
    Mistake,
    OneOf,
    SettingError,
    Table,
    flag,
    list_of_strings,
    read_table,
    text,
)
from ipu_asm.config.source_keys import check_name, define_value, include_paths
from ipu_asm.ide.kinds import DEFAULT_HINTS, DEFAULT_LENSES, HINT_FAMILIES, LENS_FAMILIES
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.json_types import Json

Names = tuple[str, ...]

NO_WORDS = "none"
_LISTING_WORDS = ("full", NO_WORDS)


class Settings(NamedTuple):
    """The settings of a session. None means not set: then configuration files decide.

    `inlay_hints` and `code_lenses` are the families that are on. `defines` are
    values like those of `ipu-lint --define`, `include_paths` are searched before the configured.
    `listing_words` is "full" or "none": whether listings have words beside the addresses.
    """

    isa: str | None = None
    enable: bool | None = None
    select: Names | None = None
    ignore: Names | None = None
    extend_select: Names | None = None
    format_style: str | None = None
    mnemonic_case: str | None = None
    inlay_hints: frozenset[str] = DEFAULT_HINTS
    code_lenses: frozenset[str] = DEFAULT_LENSES
    defines: Context | None = None
    include_paths: Names | None = None
    listing_words: str | None = None

    def over(self, configuration: Configuration) -> Configuration:
        """Merge the settings into a configuration; they rank like the options of `ipu-lint`."""
        if self.isa is not None:
            configuration = configuration._replace(isa=self.isa, isa_by_glob=())
        if self.format_style is not None:
            configuration = configuration._replace(format_style=self.format_style)
        if self.mnemonic_case is not None:
            configuration = configuration._replace(mnemonic_case=self.mnemonic_case)
        if self.select is not None:
            configuration = configuration._replace(select=self.select, extend_select=(), ignore=())
        return configuration._replace(
            ignore=(*configuration.ignore, *(self.ignore or ())),
            extend_select=(*configuration.extend_select, *(self.extend_select or ())),
        )


class ParsedSettings(NamedTuple):
    """Settings, and a message for each invalid value, which counts as not set."""

    settings: Settings
    complaints: tuple[str, ...]


def read_settings(section: object) -> ParsedSettings:
    """Return the settings in the section `ipu`. Keys that are not declared are ignored."""
    if section is None:
        return ParsedSettings(Settings(), ())
    mistakes: list[Mistake] = []
    values: Json = read_table(_SECTION, section, mistakes, ("ipu",)) or {}
    lint, layout = values.get("lint", {}), values.get("format", {})
    settings = Settings(
        isa=values.get("isa"),
        enable=lint.get("enable"),
        select=lint.get("select"),
        ignore=lint.get("ignore"),
        extend_select=lint.get("extendSelect"),
        format_style=layout.get("style"),
        mnemonic_case=layout.get("mnemonicCase"),
        inlay_hints=_families(DEFAULT_HINTS, values.get("inlayHints", {})),
        code_lenses=_families(DEFAULT_LENSES, values.get("codeLens", {})),
        defines=values.get("defines"),
        include_paths=values.get("includePaths"),
        listing_words=values.get("listing", {}).get("words"),
    )
    return ParsedSettings(settings, tuple(map(_complaint, mistakes)))


def _families(default: frozenset[str], table: Mapping[str, bool]) -> frozenset[str]:
    return frozenset(name for name in default | table.keys() if table.get(name, True))


def _complaint(mistake: Mistake) -> str:
    key, error = ".".join(mistake.place), mistake.error
    if not error.has_value:
        return f"setting `{key}`: {error}; it is ignored"
    expected = error.message.removeprefix("expected ")
    return f"setting `{key}` is {expected}, found {error.found!r:.60}; it is ignored"


def _defines(value: Any) -> Context:
    """Return values by name. Raises `SettingError`."""
    if not isinstance(value, dict):
        if value == []:  # an empty table of Lua
            return {}
        raise SettingError("expected an object with a value for each name", value)
    for name in value:
        check_name(name)
    return {name: define_value(each) for name, each in value.items()}


def _object(fields: Mapping[str, Field]) -> Table:
    return Table(fields, is_json=True)


_STRINGS = list_of_strings("a list of strings")
_SECTION = _object(
    {
        "isa": text,
        "lint": _object(
            {"enable": flag, "select": _STRINGS, "ignore": _STRINGS, "extendSelect": _STRINGS}
        ),
        "format": _object({"style": OneOf(FORMAT_STYLES), "mnemonicCase": OneOf(MNEMONIC_CASES)}),
        "listing": _object({"words": OneOf(_LISTING_WORDS)}),
        "inlayHints": _object(dict.fromkeys(HINT_FAMILIES, flag)),
        "codeLens": _object(dict.fromkeys(LENS_FAMILIES, flag)),
        "defines": _defines,
        "includePaths": include_paths,
    }
)


def unwrap_section(settings: object) -> object:
    """Return the section `ipu` of settings that have it, else the settings themselves."""
    if isinstance(settings, dict) and "ipu" in settings:
        return settings["ipu"]
    return settings
