"""A real browser for tests of pages.

Where none is installed there is nothing to run, except in CI, where a missing browser is a failure."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSERS = [found for name in NAMES if (found := shutil.which(name))][:1]
# WebGL by software, so that no graphics card is needed.
ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]


@contextmanager
def running(path: str) -> Iterator[Browser]:
    """A browser that runs without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()
