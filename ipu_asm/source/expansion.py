"""An expansion: the text that the assembler reads, made of what the author wrote; its settings."""

from __future__ import annotations

import os
from enum import Enum
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Callable,
    Generic,
    Iterable,
    Iterator,
    Mapping,
    Protocol,
    Sequence,
    TypeVar,
    overload,
)

from ipu_asm.config import Configuration, Context
from ipu_asm.config import Value as Value
from ipu_asm.config.files import scanned_text, stamp_of
from ipu_asm.config.host_configurations import NO_HOSTS, Hosts
from ipu_asm.config.source_keys import ProjectFolders, include_folders
from ipu_asm.diagnostics import Diagnostic
from ipu_asm.named_tuple import NamedTuple
from ipu_asm.text import SourceFile, Span

if TYPE_CHECKING:
    from ipu_asm.source.source_map import SourceMap, SourceRange


class NameKind(Enum):
    """What defines a name."""

    SET = "set"
    LOOP_VARIABLE = "loop variable"
    TEMPLATE_MACRO = "template macro"
    DEFINE = "define"
    MACRO = "macro"
    SYMBOL = "symbol"
    PARAMETER = "parameter"
    CONTEXT = "context"


class NameDefinition(NamedTuple):
    """A definition of a name that expansion replaces.

    `place` is the name, `full` the whole definition. `value` is its value as text where it has one
    (of a loop variable: all its values, separated by commas), `parameters` are those of a macro as
    they are written. `remark` is the author's comment about it.
    """

    name: str
    kind: NameKind
    place: SourceRange
    full: SourceRange
    value: str | None = None
    parameters: tuple[str, ...] | None = None
    remark: str = ""


class NameUse(NamedTuple):
    """A use of a name; `definition` is None for a name that nothing reachable defines."""

    name: str
    place: SourceRange
    definition: NameDefinition | None


def place_of_use(use: NameUse) -> tuple[SourceRange, str]:
    """Return what uses are sorted by: the analysed file first, and in each file by position."""
    return use.place, use.name


class Include(NamedTuple):
    """An include directive: the range of the file name in it, and the file, None if not found."""

    place: SourceRange
    name: str
    path: str | None


Item = TypeVar("Item")


class Deferred(Sequence[Item], Generic[Item]):
    """A sequence whose items are computed on first access.

    Few features of an editor need names, while each edit makes an expansion.
    """

    def __init__(self, make: Callable[[], Iterable[Item]]) -> None:
        self._make = make

    @cached_property
    def items(self) -> tuple[Item, ...]:
        return tuple(self._make())

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)


class Expansion(NamedTuple):
    """A text for the assembler with the map to its written sources. Immutable.

    `context` describes what was assumed, for people, empty where nothing was: ``cpr=3 rows=8``.
    `findings` are those of the expansion itself (template errors, missing headers, limits), in the
    files that their `path` names. `files` are the headers that were read, by absolute path.
    `defined` are the names of `definitions`, known without their places.
    `memo` is what the next expansion of the same file may reuse; only the maker reads it.
    With `is_assumed`, `context` is an assumption about what cannot be known, one of several.
    With `is_partial`, some of it could not be computed: `unknown` are the spans of the text with
    unknown content, and only findings about bundles without them are certain.
    If it `is_listing`, it was decoded from the bytes in the listing of a disassembler.
    Without `is_line_local`, the edit of a line without macros may change what is made of others.
    """

    text: str
    source_map: SourceMap
    context: str = ""
    findings: tuple[Diagnostic, ...] = ()
    definitions: Sequence[NameDefinition] = ()
    uses: Sequence[NameUse] = ()
    includes: tuple[Include, ...] = ()
    files: Mapping[str, SourceFile] = {}
    memo: object = None
    defined: frozenset[str] = frozenset()
    is_partial: bool = False
    unknown: Sequence[Span] = ()
    is_assumed: bool = False
    is_line_local: bool = True
    is_listing: bool = False


class SourceReader(Protocol):
    """Reads headers: from the disk, or from the documents of an editor."""

    def read(self, path: str) -> SourceFile | None:
        """Return a regular file of source text; None if there is none, or it may not be read."""

    def stamp(self, path: str) -> object:
        """Return a value that changes when the file does; None for a file that cannot be read."""


class NoFiles:
    """A reader that finds no header: for texts without a place in a file system."""

    def read(self, path: str) -> SourceFile | None:
        return None

    def stamp(self, path: str) -> object:
        return None


class SourceSettings(NamedTuple):
    """What an expansion, and what is known about a run of it, depend on besides the text.

    `defines` are those of the project: in templates variables, for the preprocessor object-like
    macros. `contexts` are the template contexts that the project declares; a value in one counts
    before that of a define. `overrides` are given for this run (``--define``) and count before
    both. `include_paths` are absolute folders in search order. Nothing outside `root` and the
    include paths is read; empty: the folder of the file is the root. With `project`, a header that
    is in none of these is searched in its folders.

    `configurations` are values of registers that the host sets before a run, by name: the program
    is looked at with each of them. `presets` are given for this run and count before them. `hosts`
    are the launches and tests of the file, for values that both leave open.
    """

    defines: Mapping[str, Value] = {}
    contexts: tuple[Context, ...] = ()
    overrides: Mapping[str, Value] = {}
    include_paths: tuple[str, ...] = ()
    root: str = ""
    reader: SourceReader = NoFiles()
    presets: Mapping[str, int] = {}
    configurations: tuple[Mapping[str, int], ...] = ()
    hosts: Hosts = NO_HOSTS
    project: ProjectFolders | None = None

    @property
    def all_defines(self) -> Mapping[str, Value]:
        """The values of all names outside of template contexts."""
        return {**self.defines, **self.overrides}


DEFAULT_SETTINGS = SourceSettings()
"""No values from outside, and no header is read."""


class DiskReader:
    """Reads regular text files, up to the size limit of a search in the workspace."""

    def read(self, path: str) -> SourceFile | None:
        """Return a regular file of source text; None if there is none, or it may not be read."""
        text = scanned_text(path) if stamp_of(path) is not None else None
        return None if text is None else SourceFile(text, path)

    def stamp(self, path: str) -> object:
        """Return a value that changes when the file does; None for a file that cannot be read."""
        return stamp_of(path)


_T = TypeVar("_T")
DEFAULT_INCLUDE_PATHS = ("include",)
"""Where nothing is configured, relative to the root."""
_VERSION_CONTROL = (".git", ".hg", ".jj", ".svn")


def source_settings(
    path: str | None,
    configuration: Configuration | None = None,
    overrides: Mapping[str, Value] | None = None,
    reader: SourceReader | None = None,
) -> SourceSettings:
    """Return the settings of a file; `overrides` are given for this run, as by ``--define``.

    `path` is None for a text that is in no file: no header is read for it. Every tool asks this
    function, so that all of them read the same. Globs of include paths are looked up on the disk
    at each call; the result depends on nothing else there but the root.
    """
    ours = configuration or Configuration()
    given = overrides or {}
    if path is None:
        return SourceSettings(ours.defines, (), given)
    kernel = _first_match(path, ours.kernels, ours)
    root = root_of(path, ours.folder)
    project = None
    if ours.include_paths is None:
        project = ProjectFolders(root)
        folders = include_folders(DEFAULT_INCLUDE_PATHS, root).folders
    else:
        folders = include_folders(ours.include_paths, ours.folder).folders
    contexts = _first_match(path, ours.templates, ours)
    return SourceSettings(
        ours.defines,
        contexts,
        given,
        folders,
        root,
        reader or DiskReader(),
        configurations=kernel,
        project=project,
    )


def _first_match(
    path: str, by_glob: Sequence[tuple[str, tuple[_T, ...]]], configuration: Configuration
) -> tuple[_T, ...]:
    if not by_glob:
        return ()
    from ipu_asm.config.globs import path_matches

    for glob, found in by_glob:
        if path_matches(glob, path, configuration.folder):
            return found
    return ()


def root_of(path: str, configured: str = "") -> str:
    """Return the folder that limits header search, besides the include paths.

    It is the folder of its configuration, `configured`, if the file is in there; else the nearest
    one above with version control, else the file's own.
    """
    own = os.path.dirname(os.path.abspath(path))
    if configured and (own == configured or own.startswith(os.path.join(configured, ""))):
        return configured
    folder = own
    while True:
        if any(os.path.lexists(os.path.join(folder, name)) for name in _VERSION_CONTROL):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return own
        folder = parent
