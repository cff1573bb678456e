"""The command line of both servers: transport, logging and exit status."""

from __future__ import annotations

import argparse
import gc
import ipaddress
import logging
import os
import sys
from functools import partial
from typing import Callable, NoReturn, Sequence

from ipu_asm import __version__
from ipu_asm.diagnostics.command_line import CommandLineParser
from ipu_asm.emulator.interrupts import Interrupts
from ipu_lsp.tcp import over_tcp
from ipu_lsp.transport import Channel, over_stdio

_LEVELS = ("debug", "info", "warning", "error")
_FORMAT = "%(asctime)s %(levelname)s %(message)s"
_EPILOG = """\
Editors start it; a person does so to see its log, or to let an editor connect.

examples:
  {0}                          serve the editor that has started it
  {0} --log-file log.txt --log-level debug
  {0} --tcp 127.0.0.1:4567     wait for one client on this port
  {0} --tcp 127.0.0.1:0        choose a free port, and print it

exit status:
  0    the client has ended the session
  1    ipu-lsp alone: the client has left without the request `shutdown`
  2    wrong usage, or an address that cannot be used
  130  interrupted by Ctrl-C
"""


class _Parser(CommandLineParser):
    """A parser with one-line messages about wrong usage."""

    def error(self, message: str) -> NoReturn:
        from ipu_asm.diagnostics.rendering import printable  # for wrong usage alone

        shown = printable(message)
        self.exit(2, f"{self.prog}: error: {shown} (see `{self.prog} --help`)\n")


class ServerCommand:
    """The command line of a server."""

    def __init__(self, program: str, description: str) -> None:
        self.program = program
        self.parser = _Parser(prog=program, description=description, epilog=_EPILOG.format(program))
        self._add_arguments()

    def run(
        self, arguments: Sequence[str] | None, load: Callable[[], Callable[[Channel], int]]
    ) -> int:
        """Serve one client with the function that `load` returns; return its exit status.

        `load` is called after the arguments are parsed, because it takes most of the start-up time.
        Wrong usage exits with status 2, an interrupt returns 130.
        """
        try:
            self._complete()
            options = self.parser.all_known(*self.parser.parse_known_args(arguments))
            self._check_address(options)
            self._start_log(options)
            with Interrupts():
                # What is loaded lives until the end. To look for garbage meanwhile takes 7 % of the
                # start. Frozen, a full collection takes under 0.1 ms instead of 49 ms (language
                # server) or 13 ms (debug adapter).
                gc.disable()
                serve = load()
                gc.freeze()
                gc.enable()
                return serve(self._connect(options))
        except KeyboardInterrupt:
            return 130

    def _complete(self) -> None:
        """Answer a shell that asks for completions, and exit."""
        if "_ARGCOMPLETE" in os.environ:
            import argcomplete

            argcomplete.autocomplete(self.parser)

    def _add_arguments(self) -> None:
        way = self.parser.add_mutually_exclusive_group()
        way.add_argument(
            "--stdio", action="store_true", help="use standard input and output (default)"
        )
        way.add_argument(
            "--tcp",
            metavar="HOST:PORT",
            type=_address,
            help="wait for one client on a loopback address; port 0 means any free port",
        )
        add = self.parser.add_argument
        add(
            "--allow-remote",
            action="store_true",
            help="with --tcp: allow other addresses. Anyone who can connect can read and write "
            "your files: there is no encryption and no password",
        )
        add("--version", action="version", version=f"{self.program} {__version__}")
        add("--log-file", metavar="FILE", help="write the log to FILE (default: standard error)")
        add(
            "--log-level",
            choices=_LEVELS,
            default="warning",
            help="the lowest level to log (default: %(default)s)",
        )

    def _connect(self, options: argparse.Namespace) -> Channel:
        connect: Callable[[], Channel]
        if options.tcp is None:
            connect, what = over_stdio, "standard output cannot be used"
        else:
            host, port = options.tcp
            connect = partial(over_tcp, host, port, _announce)
            what = f"{host}:{port} cannot be listened on"
        try:
            return connect()
        except OSError as error:
            self.parser.error(f"{what}: {error}")

    def _check_address(self, options: argparse.Namespace) -> None:
        """Reject non-loopback addresses without `--allow-remote`: any client can read files."""
        if options.tcp is None:
            if options.allow_remote:
                self.parser.error("--allow-remote is for --tcp, found none")
            return
        host, _ = options.tcp
        if host == "localhost" or _is_loopback(host):
            return
        if not options.allow_remote:
            self.parser.error(
                f"HOST is a loopback address, found `{host}`; --allow-remote takes any"
            )
        print(f"{self.program}: warning: others can connect to {host}", file=sys.stderr)

    def _start_log(self, options: argparse.Namespace) -> None:
        """Configure logging: all our messages of the level, but only errors of libraries."""
        file = options.log_file
        try:
            handler = (
                logging.FileHandler(file, encoding="utf-8", errors="replace") if file else None
            )
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            self.parser.error(f"the log file cannot be written: {file}: {reason}")
        logging.basicConfig(
            handlers=[handler or logging.StreamHandler(sys.stderr)],
            format=_FORMAT,
            level=logging.ERROR,
            force=True,
        )
        logging.getLogger("ipu_lsp").setLevel(options.log_level.upper())


def _address(text: str) -> tuple[str, int]:
    """Parse `HOST:PORT`."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not (port.isascii() and port.isdecimal() and len(port) < 6) or int(port) > 65_535:
        raise argparse.ArgumentTypeError(f"an address is HOST:PORT, found `{text}`")
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _announce(address: str) -> None:
    print(f"listening on {address}", file=sys.stderr, flush=True)
