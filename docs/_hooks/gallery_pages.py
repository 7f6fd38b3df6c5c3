"""The page of the gallery: every mechanism simulated, with a moving preview and a player to open."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SIZE, FPS = (320, 240), 20


@dataclass(frozen=True)
class Take:
    """How a mechanism is shown: duration and time step [s], parameters, keyframe whose inputs are held."""

    duration: float = 4.0
    dt: float = 0.01
    parameters: dict[str, Any] = field(default_factory=dict)
    keyframe: str | None = None


TAKES: dict[str, Take] = {
    "pendulum": Take(parameters={"links": 5}, dt=0.005),
    "arch": Take(duration=2.0),
    "box_stack": Take(duration=2.0),
    "pyramid": Take(duration=2.0),
    "dominoes": Take(duration=3.0, dt=0.002),
    "newton_cradle": Take(dt=0.005),
    "tippe_top": Take(duration=6.0, dt=0.002),
    "woodpecker": Take(duration=3.0, dt=0.002),
    "sphere_chain": Take(duration=3.0),
    "brick_wall": Take(duration=1.5),
    "card_house": Take(duration=1.5),
    "heap": Take(duration=2.5),
    "ring_chain": Take(dt=0.005),
    "hand": Take(duration=1.5, dt=0.002, keyframe="closed"),
    "gripper": Take(duration=2.0, dt=0.005, keyframe="lift"),
    "humanoid": Take(duration=2.0, dt=0.005, parameters={"strength": 0.0}),
    "gyroscope": Take(dt=0.005),
    "spinning_top": Take(dt=0.005),
    "quadruped": Take(dt=0.001, parameters={"limits": True}),
    "sarrus": Take(dt=0.002),  # the first page opens with it
}


def gallery_files() -> dict[str, str | bytes]:
    """The page, previews and players, by their place in the site.

    They are kept under out/gallery and made anew only when the package or this file has changed."""
    from sarrus import gallery

    store = ROOT / "out" / "gallery" / fingerprint()
    store.mkdir(parents=True, exist_ok=True)
    made: dict[str, str | bytes] = {}
    lines = [
        "# Gallery",
        "",
        "Ready mechanisms, each made by one call, here with its default parameters unless said otherwise.",
        "Click a picture for the player: turn the view with the mouse, scrub the time, see energy error and",
        "violation.",
        "",
        '<div class="gallery" markdown>',
    ]
    for name in gallery.NAMES:
        take = TAKES.get(name, Take())
        preview, player = store / f"{name}.webp", store / f"{name}.html"
        if not (preview.exists() and player.exists()):
            show(name, take, preview, player)
        made[f"gallery/{preview.name}"] = preview.read_bytes()
        made[f"gallery/{player.name}"] = player.read_bytes()
        lines += entry(gallery.describe(name), take)
    lines.append("</div>")
    made["gallery.md"] = "\n".join(lines) + "\n"
    return made


def entry(description: Any, take: Take) -> list[str]:
    """A mechanism's part of the page."""
    name = description.name
    given = ", ".join(f"{key}={value!r}" for key, value in take.parameters.items())
    size = f'width="{SIZE[0]}" height="{SIZE[1]}" loading="lazy"'
    picture = f'<img src="gallery/{name}.webp" alt="{name} in motion" {size}>'
    lines = [
        "<div markdown>",
        "",
        f"## {name}",
        "",
        f'<a href="gallery/{name}.html">{picture}</a>',
        "",
        description.summary,
        "",
        f"`sarrus.gallery.{name}({given})`, {take.duration:g} s at dt {take.dt:g} s"
        + (f", keyframe {take.keyframe!r}" if take.keyframe else ""),
        "",
    ]
    if description.parameters:
        listed = ", ".join(f"`{key}={shown(value)}`" for key, value in description.parameters.items())
        lines += [f"Parameters: {listed}", ""]
    return [*lines, "</div>"]


def show(name: str, take: Take, preview: Path, player: Path) -> None:
    """Simulates the mechanism; writes its preview and its player."""
    import sarrus
    from sarrus.cli.models import start_at

    if name == "quadruped":
        trajectory = walk(take.duration)
    else:
        model = sarrus.build(sarrus.gallery.make(name, **take.parameters))
        start = start_at(model, take.keyframe)
        trajectory = sarrus.simulate(model, duration=take.duration, dt=take.dt, **start)
    trajectory.to_html(player)
    trajectory.render(preview, size=SIZE, fps=FPS)


def walk(duration: float) -> Any:
    """The quadruped with the gait that the first seed of its experiment found."""
    from sarrus.learn.gait import Gait
    from sarrus.learn.quadruped import quadruped_walk

    result = ROOT / "experiments" / "results" / "MC23" / "fig13_quadruped.json"
    numbers = json.loads(result.read_text(encoding="utf-8"))["seeds"]["seed 0"]["parameters"]
    return quadruped_walk(duration=duration).run(Gait.of(numbers))


def shown(value: Any) -> str:
    """A default as one writes it, numbers with four digits."""
    return f"{value:.4g}" if isinstance(value, float) else repr(value)


def fingerprint() -> str:
    """Sixteen digits that change when the package or this file does."""
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for file in sorted((ROOT / "src" / "sarrus").rglob("*")):
        if file.suffix in {".py", ".js", ".css", ".html"}:
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
