"""Run hostile fits and write a table of what broke: ``python -m hostile FIRST NUMBER [TABLE]``."""

import sys
from collections import Counter
from pathlib import Path

from hostile.promises import run_case


def main(first: int, number: int, table: str = "hostile.md") -> int:
    """Run the seeds from `first` on; return how many broke a promise."""
    cases = []
    for seed in range(first, first + number):
        cases.append(run_case(seed))
        if cases[-1].broken:
            print(cases[-1], flush=True)
    Path(table).write_text(_report(cases), encoding="utf-8")
    return sum(bool(case.broken) for case in cases)


def _report(cases) -> str:
    """A line for each estimator, and one for each case that broke a promise."""
    names = sorted({case.name for case in cases})
    lines = ["| estimator | fits | refused | broken | slowest, s |", "|---|---|---|---|---|"]
    for name in names:
        own = [case for case in cases if case.name == name]
        count = Counter("refused" if not case.fitted else "fitted" for case in own)
        broken, slowest = sum(bool(case.broken) for case in own), max(case.seconds for case in own)
        lines.append(f"| {name} | {len(own)} | {count['refused']} | {broken} | {slowest:.1f} |")
    total, refused = len(cases), sum(not case.fitted for case in cases)
    lines.append(f"| all | {total} | {refused} | {sum(bool(case.broken) for case in cases)} | |")
    return "\n".join([*lines, "", *(f"* {case}" for case in cases if case.broken), ""])


if __name__ == "__main__":
    sys.exit(min(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:4]), 1))
