"""Write the README's table of results from docs/results/logistic_official.json.

python -m benchmarks.readme
"""

import json
import re
from pathlib import Path

from kernelproba.report.table import markdown_table

from .measure import RESULTS

README = Path(__file__).parent.parent / "README.md"
START, END = "<!-- results: start -->", "<!-- results: end -->"
SHOWN = {
    "KLR": "KernelLogisticRegression",
    "KLR pairwise": "…, pairwise",
    "SVC": "SVC",
    "SVC calibrated": "SVC, calibrated",
    "SVC(probability=True)": "SVC(probability=True)",
}
COLUMNS = ["data", "model", "error", "log loss", "ECE", "fit time / SVC", "predict_proba s"]


def table() -> str:
    """The rows of the README, as Markdown."""
    rows = json.loads((RESULTS / "logistic_official.json").read_text(encoding="utf8"))["rows"]
    return markdown_table([_shown(row) for row in rows if row["model"] in SHOWN], COLUMNS)


def _shown(row: dict) -> dict:
    known = row["log loss"] == row["log loss"]
    return {
        "data": row["data"],
        "model": SHOWN[row["model"]],
        "error": f"{row['error']:.2%}",
        "log loss": f"{row['log loss']:.3f}" if known else "–",
        "ECE": f"{row['ECE']:.3f}" if known else "–",
        "fit time / SVC": f"{row['fit / SVC']:.1f}",
        "predict_proba s": f"{row['proba s']:.2f}" if known else "–",
    }


def main() -> None:
    text = README.read_text(encoding="utf8")
    between = re.compile(f"{START}.*?{END}", flags=re.DOTALL)
    README.write_text(between.sub(f"{START}\n{table()}\n{END}", text), encoding="utf8")


if __name__ == "__main__":
    main()
