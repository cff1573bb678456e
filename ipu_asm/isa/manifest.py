"""The facts about an instruction set that are needed without loading its description."""

from __future__ import annotations

from ipu_asm.named_tuple import NamedTuple


class HostOption(NamedTuple):
    """What the host sets of a machine before a run, apart from registers and memory.

    `name` is in snake case; `kind` is "choice", "flag", "integer" or "number". `summary` is a
    phrase for help texts. Numbers are from `least` to `most`, where these are given. The number of
    a choice is written to `register`, if there is one.
    """

    name: str
    kind: str
    summary: str
    choices: tuple[str, ...] = ()
    default: str | bool | int | float | None = None
    least: int | None = None
    most: int | None = None
    register: str = ""

    @property
    def argument(self) -> str:
        """The option of command lines, such as `--aaq-shift`."""
        return f"--{self.name.replace('_', '-')}"

    @property
    def field(self) -> str:
        """The field of launch configurations, such as `aaqShift`."""
        first, *words = self.name.split("_")
        return first + "".join(map(str.capitalize, words))

    def choice(self, text: str) -> str | None:
        """Return the choice that a text in any case means; None if there is none."""
        return next((each for each in self.choices if each.lower() == text.lower()), None)


class Manifest(NamedTuple):
    """The `MANIFEST` of `isa/<name>/manifest.py`, the only module that start-up reads of a set.

    A file with one of the `extensions` uses this set by default. `shared_extensions` also belong to
    other languages: editors open such files in the set's language, but they do not select the set.
    Sets may share a `language_id`; the first one by name is the default of that language.

    `is_encodable`: programs are assembled to words of one size; `has_machine_code`: to units of
    code of different sizes, by `machine_code.py` in the folder of the set. `memories` are the
    memory maps that a project can select, the default first. `modifiers` are the slots and register
    files that are semantic token modifiers, to have colours of their own. `telltales` are mnemonics
    in lower case that no other set of the language has, and no habit from elsewhere. `signature` is
    a regular expression, in the syntax that Python and JavaScript share, that matches in files of
    this set alone; editors need it where they confuse its extension with another. `has_machine`:
    programs can be executed, with `memory_size` bytes of memory; `host_options` are what the host
    sets of that machine. `runs_machine_code`: programs are executed from their
    units of code, by the machine in `machine/model.py`.
    """

    title: str
    language_id: str
    language_name: str
    extensions: tuple[str, ...]
    shared_extensions: tuple[str, ...] = ()
    is_encodable: bool = False
    has_machine_code: bool = False
    memories: tuple[str, ...] = ()
    modifiers: tuple[str, ...] = ()
    telltales: frozenset[str] = frozenset()
    signature: str = ""
    has_machine: bool = False
    runs_machine_code: bool = False
    memory_size: int = 0
    host_options: tuple[HostOption, ...] = ()
