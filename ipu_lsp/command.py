"""What the commands of both servers have in common: how they talk, and where they log."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import sys
from functools import partial
from typing import Callable, Sequence

from ipu_asm import __version__
from ipu_asm.interrupts import Interrupts
from ipu_lsp.transport import Channel, over_stdio, over_tcp

_LEVELS = ("debug", "info", "warning", "error")
_FORMAT = "%(asctime)s %(levelname)s %(message)s"


class Command:
    """A server's command line. `anywhere` lets it listen on addresses that others can reach."""

    def __init__(self, program: str, description: str, anywhere: bool = False) -> None:
        self.program = program
        self.anywhere = anywhere
        self.parser = argparse.ArgumentParser(
            prog=program, description=description, allow_abbrev=False
        )
        self._add_arguments()

    def run(
        self, arguments: Sequence[str] | None, load: Callable[[], Callable[[Channel], int]]
    ) -> int:
        """Serve one client with what `load` returns; the exit status, 2 for wrong usage.

        `load` is called after the arguments are read, because it takes most of the start-up time.
        """
        try:
            options = self.parser.parse_args(arguments)
            self._start_log(options)
            with Interrupts():
                serve = load()
                return serve(self._connect(options))
        except KeyboardInterrupt:
            return 130

    def _add_arguments(self) -> None:
        where = "an address" if self.anywhere else "a loopback address"
        way = self.parser.add_mutually_exclusive_group()
        way.add_argument(
            "--stdio", action="store_true", help="talk over standard input and output (the default)"
        )
        way.add_argument(
            "--tcp",
            metavar="HOST:PORT",
            type=self._address,
            help=f"wait for one client on {where}; port 0 takes any free one",
        )
        add = self.parser.add_argument
        add("--version", action="version", version=f"{self.program} {__version__}")
        add("--log-file", metavar="FILE", help="log there, not on standard error")
        add("--log-level", choices=_LEVELS, default="warning", help="how much to log (%(default)s)")

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

    def _address(self, text: str) -> tuple[str, int]:
        """A host and a port. Anybody who can connect may read files through us."""
        host, _, port = text.rpartition(":")
        host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
        if not (port.isascii() and port.isdecimal() and len(port) < 6) or int(port) > 65_535:
            raise argparse.ArgumentTypeError(f"an address is HOST:PORT, found `{text}`")
        if host != "localhost" and not _is_loopback(host):
            if not self.anywhere:
                raise argparse.ArgumentTypeError(f"HOST is a loopback address, found `{host}`")
            print(f"{self.program}: warning: others can connect to {host}", file=sys.stderr)
        return host, int(port)

    def _start_log(self, options: argparse.Namespace) -> None:
        """Everything of ours is logged; of the libraries only what goes wrong there."""
        file = options.log_file
        try:
            handler = (
                logging.FileHandler(file, encoding="utf-8", errors="replace") if file else None
            )
        except OSError as error:
            self.parser.error(f"the log file cannot be written: {error}")
        logging.basicConfig(
            handlers=[handler or logging.StreamHandler(sys.stderr)],
            format=_FORMAT,
            level=logging.ERROR,
            force=True,
        )
        logging.getLogger("ipu_lsp").setLevel(options.log_level.upper())


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _announce(address: str) -> None:
    print(f"listening on {address}", file=sys.stderr, flush=True)
