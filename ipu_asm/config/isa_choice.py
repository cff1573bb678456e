"""The choice of the instruction set of a file that `--isa` does not name."""

from __future__ import annotations

import os
import re

from ipu_asm.config.configuration import Configuration
from ipu_asm.config.configuration_file import Configurations
from ipu_asm.isa import DEFAULT_ISA, manifests
from ipu_asm.named_tuple import NamedTuple

UNCLAIMED = ""
"""As `otherwise`: the result for a file whose instruction set nothing tells."""

_FIRST_LINES = re.compile(r"(?:[^\r\n]*(?:\r\n?|\n)){0,9}[^\r\n]*")
_COMMENT = re.compile(r"(?:\{#-|#|//|;|/\*)[ \t]*isa:[ \t]*([\w-]+)([^\r\n]*)")

_COMMENT_END = re.compile(r"\*/|-?#\}")


class IsaChoice(NamedTuple):
    """The name of an instruction set, which may be unknown, and the place that names it.

    `is_explicit`: the file itself or the user's command names it.
    """

    name: str
    origin: str
    is_explicit: bool = False


class IsaChooser:
    """Chooses the instruction sets of files, each with its nearest configuration."""

    def __init__(
        self, asked: str | None = None, configurations: Configurations | None = None
    ) -> None:
        """`asked` is the set that the user names for all files."""
        self.asked = asked
        self.configurations = configurations or Configurations()

    def choose(self, text: str, path: str) -> IsaChoice:
        """Return the set of one file. Raises `ConfigurationError` for a broken configuration."""
        configuration = None
        if self.asked is None:
            folder = os.path.dirname(os.path.abspath(path))
            configuration = self.configurations.nearest(folder)
        return choose_isa(text, path, self.asked, configuration)


def choose_isa(
    text: str,
    path: str,
    asked: str | None = None,
    configuration: Configuration | None = None,
    otherwise: str = DEFAULT_ISA,
) -> IsaChoice:
    """Return the set that the user asks for; else that of a comment in the first ten lines, of the
    configuration, or of the file extension, in this order; else `otherwise`.
    """
    if asked is not None:
        return IsaChoice(asked, "--isa", True)
    return (
        _from_comment(text, path)
        or _from_configuration(path, configuration)
        or _from_extension(path)
        or IsaChoice(otherwise, path)
    )


def _from_comment(text: str, path: str) -> IsaChoice | None:
    """Return the set of a comment `isa: NAME`; with text after an unknown name it is prose."""
    match = _FIRST_LINES.match(text)
    head = match[0] if match else ""
    if "isa:" not in head:
        return None
    for comment in _COMMENT.finditer(head):
        name, rest = comment[1], _COMMENT_END.sub("", comment[2]).strip()
        if name in manifests() or not rest:
            line = len(re.findall(r"\r\n?|\n", head[: comment.start()])) + 1
            return IsaChoice(name, f"{path}:{line}", True)
    return None


def _from_configuration(path: str, configuration: Configuration | None) -> IsaChoice | None:
    if configuration is None:
        return None
    if configuration.isa_by_glob:
        from ipu_asm.config.globs import path_matches
    for glob, name in configuration.isa_by_glob:
        if path_matches(glob, path, configuration.folder):
            return IsaChoice(name, configuration.path)
    return IsaChoice(configuration.isa, configuration.path) if configuration.isa else None


def _from_extension(path: str) -> IsaChoice | None:
    extension = os.path.splitext(path)[1]
    for name, manifest in manifests().items():
        if extension in manifest.extensions:
            return IsaChoice(name, path)
    return None
