"""The web server of the live viewer: where it listens, and that it says so."""

from __future__ import annotations

import contextlib
import errno
import io
import logging
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

from sarrus.errors import MechanismError, SarrusError

if TYPE_CHECKING:
    import viser

HOST, PORT = "127.0.0.1", 8080
TRIES = 50
"""How many ports after the wanted one are tried."""
LOCAL = ("127.0.0.1", "localhost", "::1")
BRAND = (0, 114, 178)


def require_viser() -> None:
    """Nothing, where viser is installed; else an error that tells how to get it."""
    try:
        import viser  # noqa: F401
    except ImportError as fault:
        raise SarrusError("the browser viewer needs viser: pip install 'sarrus[view]'") from fault


def free_port(host: str, port: int, tell: Callable[[str], None]) -> int:
    """`port`, or the next one that nobody listens on, said aloud; 0 stays 0: any."""
    if not isinstance(port, int) or isinstance(port, bool) or not 0 <= port <= 65535:
        raise MechanismError(f"port must be a whole number from 0 (any free one) to 65535, not {port!r}")
    if port == 0:
        return 0
    for candidate in range(port, min(port + TRIES, 65535) + 1):
        if is_free(host, candidate):
            if candidate != port:
                tell(f"port {port} is in use; using {candidate}")
            return candidate
    raise MechanismError(f"ports {port} to {candidate} of {host} are all in use; choose another with --port")


def is_free(host: str, port: int) -> bool:
    """Whether one can listen there; an address that is not of this machine is an error."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError as fault:
        raise MechanismError(f"host {host!r} is no address of this machine: {fault}") from fault
    with socket.socket(family, kind, protocol) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except PermissionError as fault:
            raise MechanismError(f"port {port} needs privileges; choose one above 1023") from fault
        except OSError as fault:
            if fault.errno == errno.EADDRINUSE:
                return False
            raise MechanismError(f"host {host!r} is no address of this machine: {fault.strerror}") from fault
    return True


def start_server(host: str, port: int, title: str, tell: Callable[[str], None]) -> viser.ViserServer:
    """A running server; warns where others than this machine can reach it."""
    require_viser()
    import viser

    # Browsers open connections that they then do not use, each of which would be a traceback on stderr.
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
    chosen = free_port(host, port, tell)
    if host not in LOCAL:
        tell(
            f"warning: listening on {host}: whoever can reach this machine can watch and control the run; "
            "there is no password"
        )
    # viser greets on stdout, which belongs to our caller.
    with contextlib.redirect_stdout(io.StringIO()):
        server = viser.ViserServer(host=host, port=chosen, label=title, verbose=False)
    # Any page that this browser shows could ask for a public tunnel to the viewer: there is none to be had.
    server.request_share_url = lambda verbose=True: None
    server.gui.configure_theme(
        control_width="medium", dark_mode=False, show_logo=False, show_share_button=False, brand_color=BRAND
    )
    return server


def url_of(host: str, port: int) -> str:
    """Where a browser finds the server."""
    shown = "localhost" if host in ("0.0.0.0", "::", *LOCAL) else host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"
