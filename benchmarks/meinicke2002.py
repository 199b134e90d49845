"""Tables 1 and 2 of meinicke2002: maximum contrast, SVM and kernel densities on four sets, 100 partitions each.

``python -m benchmarks.meinicke2002`` fits every partition under two protocols and writes
docs/results/meinicke2002.md and .json.  It takes about half an hour of one core and may be stopped and started
again: finished partitions are in meinicke2002_partitions.json beside the page.  ``--partitions 10`` is a first
look.  KERNELPROBA_DATA names the directory of the data sets, as everywhere.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from itertools import product

import numpy as np

from . import contrast_protocols as protocols
from .measure import RESULTS, machine, mean_and_error, write

PARTITIONS_RECORD = RESULTS / "meinicke2002_partitions.json"
HONEST, PAPERS = "inner 5-fold", "paper's scan"
#: Accuracy %, non-zero %, iterations, deactivated rows as printed.
PRINTED = {
    ("MCC", "breast_cancer"): (74.3, 13.6, 2.23, 2.6),
    ("MCC", "heart"): (84.3, 20.4, 3.10, 6.4),
    ("MCC", "thyroid"): (95.5, 46.1, 1.00, 0.0),
    ("MCC", "diabetes"): (76.6, 5.3, 5.86, 40.7),
    ("SVM", "breast_cancer"): (74.5, 58.5),
    ("SVM", "heart"): (84.4, 60.9),
    ("SVM", "thyroid"): (95.7, 15.8),
    ("SVM", "diabetes"): (76.7, 53.6),
    ("KDC", "breast_cancer"): (73.1, 100.0),
    ("KDC", "heart"): (84.1, 100.0),
    ("KDC", "thyroid"): (95.6, 100.0),
    ("KDC", "diabetes"): (74.2, 100.0),
}
TEXT = """
Tables 1 and 2 of Meinicke, Twellmann and Ritter (2002).  *Inner 5-fold* chooses width and penalty on the training
rows of each partition; *paper's scan* takes the setting of least **test** error on the first five partitions, as
the paper did, for all partitions, which flatters every method.  ± is one standard error over the partitions.
The published 100 partitions could not be had: ten of breast-cancer and heart are the published ones, the others
were drawn with the published sizes, so that means are comparable and not identical.

MCC: `MaximumContrastClassifier(l1_ratio=0.99, priors="uniform")`.  The paper's penalty (12) is unreadable in the
copy at hand; 0.99 is the plain sum of the 1-norm and the maximum norm for classes of about 100 rows, and gives
weights as sparse as the paper's.  With the class frequencies as priors wide kernels see little but the priors.
SVM: `SVC`, KDC: `KernelDensityClassifier` with one width.  First programme: accuracy before any row is switched off.
*Minus SVM* is the mean difference on the same partitions.

**What it says.**  Under the paper's protocol MCC is at least as accurate as printed, to one standard error, on
breast-cancer, heart and diabetes, and half a point below on thyroid: the scan's setting has 96.8 % on its five partitions
and 94.9 % on the other 95.  Under the honest protocol it is so on thyroid and diabetes, and a point below on
breast-cancer and heart, where the SVM falls as far below its own printed figure.  On these two sets a setting chosen by
test rows is worth 1.3 and 0.9 points to MCC, 0.8 and 0.4 to the SVM.  MCC is sparser than the SVM on breast-cancer,
heart and diabetes under both protocols and less sparse on thyroid, as printed.  What is not honest in the honest
protocol: `l1_ratio` and `priors` of MCC were settled beforehand with a look at a few of these partitions, while KDC chooses
its priors in the inner folds.
"""


def tables(jobs: int, sets: list[str], count: int) -> None:
    """Fit what is not on record yet, then write the page."""
    done = _read_record()
    numbered = [(name, number) for number in range(count) for name in sets]
    with ProcessPoolExecutor(jobs) as pool:
        run = partial(_run_missing, pool, done)
        run({f"{name} {number} {HONEST}": (_honest, name, number) for name, number in numbered})
        _write_page(done)
        pairs = [(name, method) for name in sets for method in protocols.METHODS]
        run({_scan_key(name, method): (protocols.papers_setting, method, name) for name, method in pairs})
        settings = {name: {m: done[_scan_key(name, m)] for m in protocols.METHODS} for name in sets}
        run({f"{name} {k} {PAPERS}": (_fixed, name, k, settings[name]) for name, k in numbered})
    _write_page(done)


def _run_missing(pool: ProcessPoolExecutor, done: dict, tasks: dict[str, tuple]) -> None:
    """Run (function, *arguments) for every key that has no result, and keep each result at once."""
    futures = {pool.submit(*task): key for key, task in tasks.items() if key not in done}
    for future in as_completed(futures):
        done[futures[future]] = future.result()
        _write_record(done)


def _scan_key(name: str, method: str) -> str:
    return f"{name} {method} setting"


def _honest(name: str, number: int) -> dict:
    (part,) = protocols.partitions(name, range(number, number + 1))
    return {method: protocols.honest(method, part) for method in protocols.METHODS}


def _fixed(name: str, number: int, settings: dict) -> dict:
    (part,) = protocols.partitions(name, range(number, number + 1))
    return {method: protocols.fixed(method, settings[method], part) for method in protocols.METHODS}


def _read_record() -> dict:
    return json.loads(PARTITIONS_RECORD.read_text(encoding="utf8")) if PARTITIONS_RECORD.exists() else {}


def _write_record(done: dict) -> None:
    """Replace the file in one step, so that a stop leaves the old one or the new one."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    draft = PARTITIONS_RECORD.with_suffix(".part")
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(done[key])}" for key in sorted(done))
    draft.write_text(f"{{\n{lines}\n}}\n", encoding="utf8")
    draft.replace(PARTITIONS_RECORD)


def _write_page(done: dict) -> None:
    rows = []
    for name, method, protocol in product(protocols.SETS, protocols.METHODS, (HONEST, PAPERS)):
        keys = [key for key in sorted(done) if key.startswith(f"{name} ") and key.endswith(protocol)]
        if keys:
            rows.append(_table_row(name, method, protocol, [done[key] for key in keys]))
    scans = [
        f"{key.removesuffix(' setting')}: {_setting(done[key])}"
        for key in sorted(done)
        if key.endswith("setting")
    ]
    text = f"{TEXT}\nSettings of the paper's scan: {'; '.join(scans) or 'none yet'}.\n"
    write("meinicke2002", "Maximum contrast on the sets of meinicke2002", text, rows, machine())


def _setting(setting: dict) -> str:
    return ", ".join(
        f"{key} {value if isinstance(value, str) else f'{value:.3g}'}" for key, value in setting.items()
    )


def _table_row(name: str, method: str, protocol: str, records: list[dict]) -> dict:
    own = [record[method] for record in records]

    def mean(key: str, factor: float = 1.0) -> str:
        values = [factor * record[key] for record in own if key in record]
        return f"{np.mean(values):.2f}" if values else ""

    accuracy, rival = (100 * np.array([r[m]["accuracy"] for r in records]) for m in (method, "SVM"))
    printed = PRINTED[method, name]
    return {
        "set": name,
        "method": method,
        "protocol": protocol,
        "partitions": len(own),
        "accuracy %": mean_and_error(accuracy),
        "paper's": printed[0],
        "minus paper's": f"{accuracy.mean() - printed[0]:+.2f}",
        "minus SVM": "" if method == "SVM" else mean_and_error(accuracy - rival),
        "first programme %": mean("first accuracy", 100),
        "non-zero %": mean("support", 100),
        "paper's non-zero": printed[1],
        "iterations": mean("iterations"),
        "deactivated": mean("deactivated"),
        "paper's iterations, deactivated": f"{printed[2]}, {printed[3]}" if len(printed) > 2 else "",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--sets", nargs="+", default=list(protocols.SETS), choices=protocols.SETS)
    parser.add_argument("--partitions", type=int, default=protocols.PARTITIONS)
    options = parser.parse_args()
    tables(options.jobs, options.sets, options.partitions)


if __name__ == "__main__":
    main()
