"""Signals that ask a run to stop, heard at the end of a piece of steps: nothing is torn in the middle."""

from __future__ import annotations

import signal as signals
import threading

# The functions of `signal` itself, without its enums: those take longer than the steps of a short run.
from _signal import getsignal, signal
from collections.abc import Callable
from types import FrameType
from typing import Any

SIGNALS = (int(signals.SIGINT), int(signals.SIGTERM))


class Deferred:
    """Context in which the first interruption (Ctrl-C, and SIGTERM where the program handles it) only sets
    `signal`; a second one acts at once, as without this.

    In another thread than the main one, where Python hears no signals, it does nothing."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._before: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def __enter__(self) -> Deferred:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                handler = getsignal(number)
                if callable(handler):
                    self._before[number] = handler
                    signal(number, self._hear)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal(number, handler)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.signal is not None:
            self._before[number](number, frame)
        self.signal = number
