"""The experiments of the papers behind this package, each by one call.

    reproduce("roth2001", folder="results", quick=True)

does what ``kernelproba papers roth2001 --quick -o results`` does: it runs the paper's protocol, keeps every
finished task, and writes our figures beside the printed ones as JSON, Markdown and PNG.

To add a paper, write a module here that ends in ``PAPER = Paper(…)``, and put its name into `registry`:

- `tasks(quick)` says what is to be computed: ``{"iris 7": Task(_split, ("iris", 7))}``.  A task is a function
  at the top level of the module and its arguments; it loads its data by `kernelproba.datasets.load`, and
  returns plain values.  One task per split and data set is about right: what is finished is never done again.
  ``ResultOf("iris setting")`` as an argument is the result of that other task.  ``timed=True`` marks a task
  that measures time: it runs alone.
- `tables(results)` and `figures(results)` turn {key: result} into tables and matplotlib figures
  (``from matplotlib.figure import Figure`` inside the function); `estimate` gives mean ± standard error.
- `protocol` says what differs from the paper; `findings(results)` what came out.

Tasks do not write files, and neither do figures: `work` keeps the one, `page` saves the other.
"""

from kernelproba.papers.paper import Paper, Picture, ResultOf, Table, Task, estimate
from kernelproba.papers.record import UnusableRecord
from kernelproba.papers.registry import find, names
from kernelproba.papers.runner import Interrupted, Reproduction, reproduce
from kernelproba.papers.work import WorkerLost

__all__ = [
    "Interrupted",
    "Paper",
    "Picture",
    "Reproduction",
    "ResultOf",
    "Table",
    "Task",
    "UnusableRecord",
    "WorkerLost",
    "estimate",
    "find",
    "names",
    "reproduce",
]
