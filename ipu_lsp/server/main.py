"""The command `ipu-lsp`: arguments, where the log goes, and the start."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import sys
from functools import partial
from typing import Callable, Sequence

from ipu_asm import __version__

_LEVELS = ("debug", "info", "warning", "error")
_FORMAT = "%(asctime)s %(levelname)s %(message)s"


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve one client. The exit status: 0 if it took its leave, 1 if it did not, 2 wrong usage."""
    try:
        return _serve(arguments)
    except KeyboardInterrupt:
        return 130


def _serve(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    try:
        _start_log(options.log_file, options.log_level)
    except OSError as error:
        parser.error(f"the log file cannot be written: {error}")
    # What follows takes most of the start-up time, so `--version` and mistakes do without it.
    from ipu_lsp.server import server, transport

    connect: Callable[[], transport.Channel]
    if options.tcp is None:
        connect, what = transport.over_stdio, "standard output cannot be used"
    else:
        host, port = options.tcp
        connect = partial(transport.over_tcp, host, port, _announce)
        what = f"{host}:{port} cannot be listened on"
    try:
        channel = connect()
    except OSError as error:
        parser.error(f"{what}: {error}")
    return server.Server().serve(channel)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ipu-lsp", description="Language server for accelerator assembly.", allow_abbrev=False
    )
    way = parser.add_mutually_exclusive_group()
    way.add_argument(
        "--stdio", action="store_true", help="talk over standard input and output (the default)"
    )
    way.add_argument(
        "--tcp",
        metavar="HOST:PORT",
        type=_address,
        help="wait for one client on a loopback address; port 0 takes any free one",
    )
    parser.add_argument("--version", action="version", version=f"ipu-lsp {__version__}")
    parser.add_argument("--log-file", metavar="FILE", help="log there, not on standard error")
    parser.add_argument(
        "--log-level", choices=_LEVELS, default="warning", help="how much to log (%(default)s)"
    )
    return parser


def _address(text: str) -> tuple[str, int]:
    """A host and a port. Anybody who can connect may read files through us: this machine only."""
    host, _, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") or "127.0.0.1"
    if not port.isdecimal() or int(port) > 65_535:
        raise argparse.ArgumentTypeError(f"an address is HOST:PORT, found `{text}`")
    if host != "localhost" and not _is_loopback(host):
        raise argparse.ArgumentTypeError(f"HOST is a loopback address, found `{host}`")
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _start_log(file: str | None, level: str) -> None:
    """Everything of ours is logged; of pygls only what goes wrong there."""
    handler = logging.FileHandler(file, encoding="utf-8", errors="replace") if file else None
    logging.basicConfig(
        handlers=[handler or logging.StreamHandler(sys.stderr)],
        format=_FORMAT,
        level=logging.ERROR,
        force=True,
    )
    logging.getLogger("ipu_lsp").setLevel(level.upper())


def _announce(address: str) -> None:
    print(f"listening on {address}", file=sys.stderr, flush=True)
