"""A paper of ten tasks that tell on disk that they have begun, for a process of its own.

Arguments: folder, jobs, seconds per task.
"""

import sys
import time
from pathlib import Path

from kernelproba.papers import Paper, Picture, Table, Task, reproduce


def count(folder: str, number: int, seconds: float) -> int:
    """Tell on disk that the task has begun, and take some time."""
    with open(Path(folder) / "begun", "a", encoding="utf8") as stream:
        stream.write(f"{number}\n")
    time.sleep(seconds)
    return number**2


def figures(results):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot(list(results.values()))
    yield Picture("squares", "Squares", figure)


def paper(folder: str, seconds: float) -> Paper:
    """Squares of ten numbers."""
    return Paper(
        name="toy",
        title="Squares",
        reference="Nobody, 2000.",
        summary="Squares.",
        protocol="As in the paper.",
        data=(),
        tasks=lambda quick: {
            f"square {n}": Task(count, (folder, n, seconds)) for n in range(2 if quick else 10)
        },
        tables=lambda results: [Table("Squares", [{"task": k, "square": v} for k, v in results.items()])],
        figures=figures,
    )


if __name__ == "__main__":
    folder, jobs, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    reproduce(paper(folder, seconds), folder=folder, jobs=jobs)
