"""What users set in their editor under `ipu`: the same things that files can set."""

from __future__ import annotations

from typing import Any, NamedTuple

from ipu_asm.configuration import Configuration

Json = dict[str, Any]
Names = tuple[str, ...]


class Settings(NamedTuple):
    """The settings of one session. None means not set: then files decide."""

    isa: str | None = None
    enable: bool | None = None
    select: Names | None = None
    ignore: Names | None = None
    extend_select: Names | None = None

    def over(self, configuration: Configuration) -> Configuration:
        """A file's configuration with these settings, which count as options of `ipu-lint` do."""
        if self.isa is not None:
            configuration = configuration._replace(isa=self.isa, isa_by_glob=())
        if self.select is not None:
            configuration = configuration._replace(select=self.select, extend_select=(), ignore=())
        return configuration._replace(
            ignore=(*configuration.ignore, *(self.ignore or ())),
            extend_select=(*configuration.extend_select, *(self.extend_select or ())),
        )


class Reading(NamedTuple):
    """Settings, and a sentence about each value that is not what its setting takes."""

    settings: Settings
    complaints: tuple[str, ...]


_WANTED = {str: "a string", bool: "true or false", tuple: "a list of strings"}
_KEYS: tuple[tuple[str, str, type], ...] = (
    ("isa", "isa", str),
    ("lint.enable", "enable", bool),
    ("lint.select", "select", tuple),
    ("lint.ignore", "ignore", tuple),
    ("lint.extendSelect", "extend_select", tuple),
)


def read_settings(section: object) -> Reading:
    """The settings in the section `ipu`. Unknown keys belong to others and are not looked at."""
    if section is None:
        return Reading(Settings(), ())
    if not isinstance(section, dict):
        return Reading(Settings(), (_complaint("ipu", "an object", section),))
    values: Json = {}
    complaints = []
    for key, name, wanted in _KEYS:
        found = _at(section, key)
        value = _value(found, wanted)
        if value is None and found is not None:
            complaints.append(_complaint(f"ipu.{key}", _WANTED[wanted], found))
        values[name] = value
    return Reading(Settings(**values), tuple(complaints))


def section_of(settings: object) -> object:
    """The section `ipu` of settings that may come with or without that name around them."""
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


def _value(found: object, wanted: type) -> object:
    if wanted is not tuple:
        return found if type(found) is wanted else None
    if isinstance(found, list) and all(isinstance(name, str) for name in found):
        return tuple(found)
    return None


def _complaint(key: str, wanted: str, found: object) -> str:
    return f"setting `{key}` is {wanted}, found {found!r:.60}; it is ignored"
