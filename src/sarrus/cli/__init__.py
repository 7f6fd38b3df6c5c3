"""The command line: one file per verb.  `main` is the console script."""


def main() -> None:
    """Run the `sarrus` command; ends the process with status 0, 1 (a run failed) or 2 (bad input)."""
    from sarrus.cli.app import app

    app(prog_name="sarrus")
