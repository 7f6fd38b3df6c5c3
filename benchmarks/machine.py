"""Where the numbers were measured: processor and versions, no names of hosts or people."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path


def machine() -> dict:
    """Processor, cores, memory [GB] and operating system."""
    row = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
    }
    if hasattr(os, "sysconf"):
        row["memory [GB]"] = round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9)
    return row


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that take part, where installed."""
    found = {"python": platform.python_version()}
    for name in ("sarrus", "numpy", "numba", "scipy", "mujoco", "pin"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    if "sarrus" not in found:
        found["sarrus"] = "checkout"
    return found


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
