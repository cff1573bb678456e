"""`--show-settings`: the settings of one file as TOML, and where they come from."""

from __future__ import annotations

from typing import Iterator, Mapping, Sequence

from ipu_asm.config.configuration import DEFAULT_EXCLUDE, Configuration, KernelRun
from ipu_asm.config.isa_choice import IsaChoice

Toml = bool | int | float | str | Sequence["Toml"] | Mapping[str, "Toml"]


def settings_text(path: str, isa: IsaChoice, settings: Configuration) -> str:
    """Return the settings that apply to a file.

    `isa` is the choice of its instruction set. Settings without a value in the
    configuration have their default.
    """
    lines = [f"# {path}: {settings.path or 'no configuration file'}"]
    lines.append(f"isa = {_toml(isa.name)}  # {isa.origin}")
    lines += _keys(
        {
            "exclude": list(DEFAULT_EXCLUDE if settings.exclude is None else settings.exclude),
            "extend-exclude": list(settings.extend_exclude),
            "respect-gitignore": settings.respect_gitignore,
            "include-paths": list(settings.include_paths or ["include"]),
        }
    )
    for table, values in _tables(settings).items():
        if values:
            lines += ["", f"[{table}]", *_keys(values)]
    return "\n".join(lines) + "\n"


def _tables(settings: Configuration) -> dict[str, Mapping[str, Toml]]:
    lint: dict[str, Toml] = {
        "select": ["ALL"] if settings.select is None else list(settings.select),
        "extend-select": list(settings.extend_select),
        "ignore": list(settings.ignore),
        "fail-level": "warning" if settings.fail_level is None else settings.fail_level.label,
    }
    ignores = {glob: list(names) for glob, names in settings.per_file_ignores.items()}
    return {
        "isa-by-glob": dict(settings.isa_by_glob),
        "memory": dict(settings.memory),
        "defines": dict(settings.defines),
        **{
            f"template.{_toml(glob)}": {"contexts": [dict(each) for each in contexts]}
            for glob, contexts in settings.templates
        },
        **{
            f"kernel.{_toml(glob)}": {"contexts": [dict(each) for each in registers]}
            for glob, registers in settings.kernels
        },
        **{f"kernel.{_toml(glob)}.run": _run(run) for glob, run in settings.runs},
        "lint": lint,
        "lint.per-file-ignores": ignores,
        "format": {
            "style": settings.format_style or "keep",
            "mnemonic-case": settings.mnemonic_case or "keep",
        },
    }


def _run(run: KernelRun) -> dict[str, Toml]:
    values: dict[str, Toml] = {**run.settings}
    for file, registers in (("cr", run.cr), ("lr", run.lr)):
        values[file] = {str(number): value for number, value in registers.items()}
    values |= {"load": run.load, "expect": run.expect, "define": dict(run.define)}
    return {key.replace("_", "-"): value for key, value in values.items() if value not in ({}, ())}


def _keys(values: Mapping[str, Toml]) -> Iterator[str]:
    for key, value in values.items():
        yield f"{_key(key)} = {_toml(value)}"


def _key(name: str) -> str:
    is_bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if is_bare else _toml(name)


def _toml(value: Toml) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        inner = ", ".join(_keys(value))
        return f"{{{inner}}}"
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, Sequence) else str(value)


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    shown = "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped)
    return f'"{shown}"'
