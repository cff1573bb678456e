"""`python -m benchmarks [NAME ...]`: measure, print tables, hold the ratios against targets."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile

from benchmarks.report import Target

NAMES = (
    "edit_latency",
    "features",
    "cold_start",
    "server_start",
    "many_files",
    "throughput",
    "sets",
    "preprocessor",
    "templates",
    "memory",
    "emulator",
    "xdna_runs",
    "time_travel",
    "debug_adapter",
    "packing",
    "planted_bugs",
)
"""Modules with `run(quick) -> list[Target]`, in the order in which all of them run."""


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line names; 1 if a target is to be checked and was missed."""
    options = _parser().parse_args(arguments)
    targets: list[Target] = []
    with tempfile.TemporaryDirectory() as cache:
        os.environ["IPU_CACHE_DIR"] = cache
        for name in options.names or NAMES:
            targets += importlib.import_module(f"benchmarks.{name}").run(options.quick)
    print()
    for target in targets:
        print(target)
    return int(options.check and not all(target.met for target in targets))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    what = f"what to measure: {', '.join(NAMES)}; all of them if none is named"
    parser.add_argument("names", nargs="*", type=_known, metavar="NAME", help=what)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a target is missed")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, for trying things out")
    return parser


def _known(name: str) -> str:
    if name not in NAMES:
        raise argparse.ArgumentTypeError(f"`{name}` is none of {', '.join(NAMES)}")
    return name


if __name__ == "__main__":
    sys.exit(main())
