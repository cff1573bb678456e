"""Settings of the editor in the section `ipu`, which correspond to those of configuration files.

Read by hand: each setting is judged alone, so that an invalid one costs only itself, and the user
gets its key, what it takes and what was found. cattrs converts `"no"` to true, or rejects all.
"""

from __future__ import annotations

from typing import Any, Callable

from ipu_asm.config.configuration import FORMAT_STYLES, MNEMONIC_CASES, Configuration, Context
from ipu_asm.config.setting_error import SettingError, shown
from ipu_asm.config.source_keys import check_name, define_value, include_paths
from ipu_asm.ide.kinds import HINT_FAMILIES, LENS_FAMILIES
from ipu_asm.named_tuple import NamedTuple
from ipu_lsp.json_types import Json

Names = tuple[str, ...]

NO_WORDS = "none"
_LISTING_WORDS = ("full", NO_WORDS)


class Settings(NamedTuple):
    """The settings of a session. None means not set: then configuration files decide.

    `inlay_hints` and `code_lenses` are the families that are on; none is by default. `defines` are
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
    inlay_hints: frozenset[str] = frozenset()
    code_lenses: frozenset[str] = frozenset()
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


def _defines(value: Any) -> Context:
    """Return values by name. Raises `SettingError`."""
    if not isinstance(value, dict):
        if value == []:  # an empty table of Lua
            return {}
        raise SettingError(f"expected an object with a value for each name, found {shown(value)}")
    for name in value:
        check_name(name)
    return {name: define_value(each) for name, each in value.items()}


class ParsedSettings(NamedTuple):
    """Settings, and a message for each invalid value, which counts as not set."""

    settings: Settings
    complaints: tuple[str, ...]


_WANTED = {str: "a string", bool: "true or false", tuple: "a list of strings"}
_KEYS: tuple[tuple[str, str, type | Names], ...] = (
    ("isa", "isa", str),
    ("lint.enable", "enable", bool),
    ("lint.select", "select", tuple),
    ("lint.ignore", "ignore", tuple),
    ("lint.extendSelect", "extend_select", tuple),
    ("format.style", "format_style", FORMAT_STYLES),
    ("format.mnemonicCase", "mnemonic_case", MNEMONIC_CASES),
    ("listing.words", "listing_words", _LISTING_WORDS),
)
"""The key of a setting, its field in `Settings`, and its type or its choices."""
_FAMILIES: tuple[tuple[str, str, Names], ...] = (
    ("inlayHints", "inlay_hints", HINT_FAMILIES),
    ("codeLens", "code_lenses", LENS_FAMILIES),
)
"""An object with one boolean for each family, its field in `Settings`, and the families."""

_CHECKED_KEYS: tuple[tuple[str, str, Callable[[Any], object]], ...] = (
    ("defines", "defines", _defines),
    ("includePaths", "include_paths", include_paths),
)
"""The same with a function of configuration files, which raises `SettingError`."""


def read_settings(section: object) -> ParsedSettings:
    """Return the settings in the section `ipu`. Keys that are not in the tables are ignored."""
    # An empty table of Lua arrives as an empty list.
    if section is None or section == []:
        return ParsedSettings(Settings(), ())
    if not isinstance(section, dict):
        return ParsedSettings(Settings(), (_complaint("ipu", "an object", section),))
    complaints: list[str] = []
    values: Json = {field: _value(section, key, wanted, complaints) for key, field, wanted in _KEYS}
    for key, field, read in _CHECKED_KEYS:
        values[field] = _checked(section.get(key), key, read, complaints)
    for key, field, families in _FAMILIES:
        values[field] = frozenset(
            name for name in families if _value(section, f"{key}.{name}", bool, complaints)
        )
    return ParsedSettings(Settings(**values), tuple(complaints))


def unwrap_section(settings: object) -> object:
    """Return the section `ipu` of settings that have it, else the settings themselves."""
    if isinstance(settings, dict) and "ipu" in settings:
        return settings["ipu"]
    return settings


def _value(section: Json, key: str, wanted: type | Names, complaints: list[str]) -> object:
    """Return a valid value; None, with a complaint, for an invalid one, and for none."""
    found: object = section
    for name in key.split("."):
        found = found.get(name) if isinstance(found, dict) else None
    if found is None:
        return None
    if isinstance(wanted, tuple):
        if found in wanted:
            return found
        wanted_text = f"one of {', '.join(f'`{name}`' for name in wanted)}"
    else:
        if wanted is tuple and isinstance(found, list) and all(type(n) is str for n in found):
            return tuple(found)
        if type(found) is wanted:
            return found
        wanted_text = _WANTED[wanted]
    complaints.append(_complaint(f"ipu.{key}", wanted_text, found))
    return None


def _checked(
    found: object, key: str, read: Callable[[Any], object], complaints: list[str]
) -> object:
    try:
        return None if found is None else read(found)
    except SettingError as error:
        complaints.append(f"setting `ipu.{key}`: {error}; it is ignored")
        return None


def _complaint(key: str, wanted: str, found: object) -> str:
    return f"setting `{key}` is {wanted}, found {found!r:.60}; it is ignored"
