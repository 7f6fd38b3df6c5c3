"""Measures the live viewer: frames per second of a mechanism with simulation and server on one core.

    python -m benchmarks.viewer [--model heap] [--seconds 15]

A fresh process, pinned to one core, simulates the mechanism of the gallery with all its contact points and
forces shown, serves the page and sends the frames; a browser
without a window watches from the other cores, and the frames that reach it are counted."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
READY = 120.0
"""Seconds that the page may take to connect."""


def main(arguments: list[str] | None = None) -> int:
    """Prints one JSON object; exit status 0 when it was measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.viewer", description=__doc__)
    parser.add_argument("--seconds", type=float, default=15.0, help="how long to count frames")
    parser.add_argument("--model", default="quadruped", help="a mechanism of the gallery")
    parser.add_argument("--serve", action="store_true", help="be the process that is measured")
    options = parser.parse_args(arguments)
    if options.serve:
        serve(options.model, options.seconds)
    else:
        print(json.dumps(measured(options.model, options.seconds), indent=1))
    return 0


def pin(cores: set[int]) -> None:
    """Keeps this process on some cores, where the system lets it."""
    if hasattr(os, "sched_setaffinity") and cores:
        os.sched_setaffinity(0, cores)


def own_cores() -> tuple[set[int], set[int]]:
    """(one core for the viewer, the others for the browser); the same where there is only one."""
    every = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    return set(every[:1]), set(every[1:] or every)


def serve(model: str, seconds: float) -> None:
    """Runs the viewer on one core; prints the url, and what was measured once somebody watched."""
    pin(own_cores()[0])
    import sarrus
    from sarrus.viewers.live.run_window import LiveWindow, show_live

    page = LiveWindow(sarrus.gallery.make(model), port=0)
    print(json.dumps({"url": page.window.url}), flush=True)
    spent = {"frames": 0, "simulating": 0.0, "gap": 0.0}
    begun: dict[str, float] = {}
    draw, run = page.frame, page.run.run

    def counted_run(elapsed: float, budget: float) -> int:
        start = time.thread_time()
        steps = run(elapsed, budget)
        spent["simulating"] += time.thread_time() - start
        return steps

    def frame(elapsed: float) -> None:
        draw(elapsed)
        if not begun and page.window.server.get_clients():
            begun.update(wall=time.perf_counter(), cpu=time.process_time(), time=page.run.state.time)
            spent.update(frames=0, simulating=0.0, gap=0.0)
        elif begun:
            spent["frames"] += 1
            spent["gap"] = max(spent["gap"], elapsed)
            if time.perf_counter() - begun["wall"] > seconds:
                page.window.stop()

    page.run.run, page.frame = counted_run, frame
    show_live(page, open_browser=False, play=True, seconds=READY + seconds)
    if not begun:
        raise SystemExit("no browser came")
    wall = time.perf_counter() - begun["wall"]
    print(
        json.dumps(
            {
                "frames per second": round(spent["frames"] / wall, 2),
                "longest frame [ms]": round(1e3 * spent["gap"], 1),
                "simulated seconds per second": round((page.run.state.time - begun["time"]) / wall, 3),
                "core used, whole process": round((time.process_time() - begun["cpu"]) / wall, 3),
                "core used, simulation": round(spent["simulating"] / wall, 3),
                "seconds": round(wall, 1),
            }
        ),
        flush=True,
    )


def measured(model: str, seconds: float) -> dict:
    """What the viewer says of itself, and the frames per second that reach a browser."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.viewer",
        "--serve",
        "--model",
        model,
        "--seconds",
        str(seconds),
    ]
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    server = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": path}
    )
    try:
        url = json.loads(server.stdout.readline())["url"]
        pin(own_cores()[1])
        said: list[str] = []
        reader = threading.Thread(target=lambda: said.extend(server.stdout), daemon=True)
        reader.start()
        arrived = watch(url, lambda: reader.is_alive())
        reader.join(timeout=READY)
    finally:
        server.kill()
        server.wait()
    result = json.loads(said[-1])
    # The first seconds belong to loading the page.
    late = [t for t in arrived if t > arrived[-1] - 0.5 * seconds]
    result["frames per second that reach a browser"] = round((len(late) - 1) / (late[-1] - late[0]), 2)
    return {"model": model} | result


def watch(url: str, goes_on) -> list[float]:
    """Times [s] at which messages came to a browser without a window."""
    import shutil

    from playwright.sync_api import sync_playwright

    path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if path is None:
        raise SystemExit(f"install one of {', '.join(BROWSERS)} to watch the viewer")
    arrived: list[float] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 320, "height": 240})
        page.on(
            "websocket",
            lambda socket: socket.on("framereceived", lambda _: arrived.append(time.perf_counter())),
        )
        page.goto(url)
        while goes_on():
            page.wait_for_timeout(200)
        browser.close()
    return arrived


if __name__ == "__main__":
    raise SystemExit(main())
