"""Formulas between dollar signs become pictures in the page, typeset while the site is built.

Nothing is fetched and no script runs when a page is read: it is the same from a folder and from a server."""

from __future__ import annotations

import re
from functools import cache
from html import escape, unescape
from typing import Any

SIZE = 20.0
"""Size of the letters for which a formula is laid out; pages scale it to the text around it."""
FORMULA = re.compile(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', re.DOTALL)
"""What `pymdownx.arithmatex` with `generic: true` makes of a formula."""
SYMBOL = re.compile(r'<symbol id="([^"]+)".*?</symbol>', re.DOTALL)
VIEW = re.compile(r'<svg\b[^>]*?viewBox="([^"]+)"[^>]*>')


def on_page_content(html: str, **_: Any) -> str:
    """The page with its formulas drawn. Each letter shape is defined once per page."""
    defined: set[str] = set()

    def once(symbol: re.Match[str]) -> str:
        name = symbol.group(1)
        return "" if name in defined or defined.add(name) else symbol.group(0)

    def draw(found: re.Match[str]) -> str:
        return SYMBOL.sub(once, drawn(unescape(found.group(3)).strip(), display=found.group(2) == "["))

    return FORMULA.sub(draw, html)


@cache
def drawn(latex: str, display: bool) -> str:
    """The formula as an inline SVG picture that takes size and colour from the text around it."""
    import ziamath

    ziamath.config.svg2 = True  # letters as <symbol>, so that a page can share them
    ziamath.config.precision = 2
    formula = ziamath.Latex(latex, size=SIZE, color="currentColor", inline=not display)
    picture = formula.svg()
    left, top, width, height = (float(number) for number in VIEW.search(picture).group(1).split())
    below = height + top  # what hangs below the line of the text
    style = f"width:{width / SIZE:.3f}em;height:{height / SIZE:.3f}em"
    if not display:
        style += f";vertical-align:{-below / SIZE:.3f}em"
    label = escape(latex, quote=True)
    view = f"{left:g} {top:g} {width:g} {height:g}"
    opening = f'<svg class="formula" role="img" aria-label="{label}" viewBox="{view}" style="{style}">'
    picture = VIEW.sub(lambda _: opening, picture, count=1)
    return f'<div class="formula-line">{picture}</div>' if display else picture
