"""Settings of the editor in the section `ipu`, which correspond to those of configuration files."""

from __future__ import annotations

from typing import NamedTuple

from ipu_asm.config.configuration import Configuration
from ipu_asm.ide import code_lens, inlay_hints
from ipu_asm.ide.formatting.formatting import STYLES
from ipu_lsp.json_types import Json

Names = tuple[str, ...]


class Settings(NamedTuple):
    """The settings of a session. None means not set: then configuration files decide."""

    isa: str | None = None
    enable: bool | None = None
    select: Names | None = None
    ignore: Names | None = None
    extend_select: Names | None = None
    hint_addresses: bool | None = None
    hint_immediates: bool | None = None
    hint_time: bool | None = None
    hint_landings: bool | None = None
    lens_references: bool | None = None
    lens_loops: bool | None = None
    format_style: str | None = None

    @property
    def inlay_hints(self) -> frozenset[str]:
        """The enabled families of inlay hints; none by default."""
        wanted = (
            self.hint_addresses,
            self.hint_immediates,
            self.hint_time,
            self.hint_landings,
        )
        return frozenset(family for family, on in zip(inlay_hints.FAMILIES, wanted) if on)

    @property
    def code_lenses(self) -> frozenset[str]:
        """The enabled families of code lenses; none by default."""
        wanted = (self.lens_references, self.lens_loops)
        return frozenset(family for family, on in zip(code_lens.FAMILIES, wanted) if on)

    def over(self, configuration: Configuration) -> Configuration:
        """Return a configuration overridden by these settings, as by options of `ipu-lint`."""
        if self.isa is not None:
            configuration = configuration._replace(isa=self.isa, isa_by_glob=())
        if self.format_style is not None:
            configuration = configuration._replace(format_style=self.format_style)
        if self.select is not None:
            configuration = configuration._replace(select=self.select, extend_select=(), ignore=())
        return configuration._replace(
            ignore=(*configuration.ignore, *(self.ignore or ())),
            extend_select=(*configuration.extend_select, *(self.extend_select or ())),
        )


class ParsedSettings(NamedTuple):
    """Settings, and a message about each invalid value."""

    settings: Settings
    complaints: tuple[str, ...]


_WANTED = {str: "a string", bool: "true or false", tuple: "a list of strings"}
_KEYS: tuple[tuple[str, str, type | Names], ...] = (
    ("isa", "isa", str),
    ("lint.enable", "enable", bool),
    ("lint.select", "select", tuple),
    ("lint.ignore", "ignore", tuple),
    ("lint.extendSelect", "extend_select", tuple),
    ("inlayHints.addresses", "hint_addresses", bool),
    ("inlayHints.immediates", "hint_immediates", bool),
    ("inlayHints.time", "hint_time", bool),
    ("inlayHints.landings", "hint_landings", bool),
    ("codeLens.references", "lens_references", bool),
    ("codeLens.loops", "lens_loops", bool),
    ("format.style", "format_style", STYLES),
)


def read_settings(section: object) -> ParsedSettings:
    """Parse the section `ipu`. Unknown keys are ignored."""
    # Lua clients encode an empty table as an empty array.
    if section is None or section == []:
        return ParsedSettings(Settings(), ())
    if not isinstance(section, dict):
        return ParsedSettings(Settings(), (_complaint("ipu", "an object", section),))
    values: Json = {}
    complaints = []
    for key, name, wanted in _KEYS:
        found = _at(section, key)
        value = _value(found, wanted)
        if value is None and found is not None:
            complaints.append(_complaint(f"ipu.{key}", _described(wanted), found))
        values[name] = value
    return ParsedSettings(Settings(**values), tuple(complaints))


def section_of(settings: object) -> object:
    """Return the section `ipu`, which may or may not be wrapped in an object of that name."""
    if isinstance(settings, dict) and "ipu" in settings:
        return settings["ipu"]
    return settings


def _at(section: Json, key: str) -> object:
    found: object = section
    for name in key.split("."):
        if not isinstance(found, dict):
            return None
        found = found.get(name)
    return found


def _value(found: object, wanted: type | Names) -> object:
    if isinstance(wanted, tuple):
        return found if found in wanted else None
    if wanted is not tuple:
        return found if type(found) is wanted else None
    if isinstance(found, list) and all(isinstance(name, str) for name in found):
        return tuple(found)
    return None


def _described(wanted: type | Names) -> str:
    if isinstance(wanted, tuple):
        return f"one of {', '.join(f'`{name}`' for name in wanted)}"
    return _WANTED[wanted]


def _complaint(key: str, wanted: str, found: object) -> str:
    return f"setting `{key}` is {wanted}, found {found!r:.60}; it is ignored"
