"""Measures Sarrus beside MuJoCo and Pinocchio; writes benchmarks/RESULTS.md and benchmarks/results.json."""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from pathlib import Path

from . import calls, contact, measure, startup
from .contact_problems import all_contact_problems
from .machine import machine, versions
from .problems import all_problems
from .report import markdown

HERE = Path(__file__).resolve().parent


def main(arguments: list[str] | None = None) -> int:
    """Runs the benchmarks; exit status 0 when all of them ran."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer problems and repeats; writes no files")
    parser.add_argument("--json", action="store_true", help="print the results as one JSON object on stdout")
    options = parser.parse_args(arguments)
    results = run(options.quick)
    text = markdown(results)
    if not options.quick:
        (HERE / "results.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
        (HERE / "RESULTS.md").write_text(text, encoding="utf-8")
        say("wrote benchmarks/RESULTS.md and benchmarks/results.json")
    print(json.dumps(results) if options.json else text)
    return 0


def run(quick: bool) -> dict:
    """All results, plain numbers ready for JSON."""
    started = time.perf_counter()
    problems = all_problems()
    if quick:
        problems = [p for p in problems if not p.name.startswith(("100", "40"))]
    repeats, budget = (3, 2.0) if quick else (9, 40.0)
    results = {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "machine": machine(),
        "versions": versions(),
        "problems": {},
    }
    for k, problem in enumerate(problems):
        say(f"[{k + 1}/{len(problems)}] {problem.name}: CPU time per step")
        cost = measure.step_costs(problem, repeats, budget)
        say(f"[{k + 1}/{len(problems)}] {problem.name}: energy and violation")
        results["problems"][problem.name] = {
            "us per step": cost,
            "accuracy": measure.accuracy(problem),
            "limit": problem.limit,
            "aim": problem.aim,
        }
    found = {}
    for k, problem in enumerate(listed := all_contact_problems(quick)):
        say(f"[{k + 1}/{len(listed)}] {problem.name}: contact")
        found[problem.name] = contact.measure(problem, repeats, budget)
    results["contact"] = {"problems": found, "growth": contact.growth(found)}
    sizes = (10, 100) if quick else (10, 100, 1000, 2000)
    results["scaling"] = {}
    for links in sizes:
        say(f"scaling: {links} links")
        results["scaling"][links] = measure.scaling(links, 3 if quick else 7)
    say("memory, call, import, first simulation")
    results["memory per body [kB]"] = measure.memory(200 if quick else 1000)
    rounds = 50 if quick else 300
    results["call of simulate [ms]"] = calls.of_simulate(rounds)
    results["Simulation.step [us]"] = {links: calls.of_step(links, rounds) for links in (10, 100)}
    results["Python controller [us]"] = {links: calls.of_controller(links) for links in (10, 100)}
    results["import [s]"] = startup.import_time(2 if quick else 7)
    if not quick:
        say("first simulation: cold compilation into an empty cache, then warm (a minute)")
        results["first simulation [s]"] = startup.first_simulation()
    results["seconds"] = time.perf_counter() - started
    return results


def say(line: str) -> None:
    """A line of progress on stderr."""
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
