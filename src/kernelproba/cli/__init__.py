"""The command ``kernelproba``: one file per command, which parses, calls the public API and prints.

- `app` puts the commands together and turns what goes wrong into one line and an exit code;
- `training` has tables read and encoded by `kernelproba.tables`;
- `methods` names the classifiers; `table_model` joins one with what it knows of its table;
- `prediction_file` writes probabilities; `terminal` talks to people and programs.
"""

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; exit with 0, 1 (an error of ours), 2 (of usage or data) or 130 (interrupted)."""
    try:
        from kernelproba.cli.app import run
    except ModuleNotFoundError as missing:
        if missing.name is not None and missing.name.startswith("kernelproba"):
            raise
        print(
            f"error: the command line needs {missing.name}: pip install 'kernelproba[cli]'", file=sys.stderr
        )
        sys.exit(1)
    sys.exit(run())
