"""Write the README's tables of results from docs/results/logistic_official.json and matrix.json.

python -m benchmarks.readme
"""

import json
import re
from pathlib import Path

from benchmarks.matrix.page import overview
from benchmarks.matrix.summary import Matrix
from benchmarks.measure import RESULTS
from kernelproba.report.table import markdown_table

README = Path(__file__).parent.parent / "README.md"
SHOWN = {
    "KLR": "KernelLogisticRegression",
    "KLR pairwise": "…, pairwise",
    "SVC": "SVC",
    "SVC calibrated": "SVC, calibrated",
    "SVC(probability=True)": "SVC(probability=True)",
}
COLUMNS = ["data", "model", "error", "log loss", "ECE", "fit time / SVC", "predict_proba s"]
PEER_COLUMNS = [
    "contestant",
    "rank, log loss",
    "rank, Brier",
    "rank, error",
    "fit s",
    "predict s",
    "problems",
]


def table() -> str:
    """Official splits: the rows of the README, as Markdown."""
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


def peers(matrix: Matrix) -> str:
    """Everything against its rivals under one setting: a paragraph and the overview of the matrix."""
    bounds = matrix.content["bounds"]
    return f"""\
Every classifier and its rivals on {len(matrix.problems)} problems ({", ".join(matrix.problems)}): kernel methods with
one width unless they find their own on the training rows, one C where they share the penalty, nothing tuned on test rows.
Mean ranks (1 is best; over the limit is last) and seconds over all problems,
one thread, in parentheses where some problems took more than {bounds["limit"]:g} s. Regenerate: `{matrix.content["command"]}`, then
`python -m benchmarks.readme`; per problem, with memory and growth, in [docs/results/matrix.md](docs/results/matrix.md).

{markdown_table(overview(matrix), PEER_COLUMNS)}"""


def fill(text: str, name: str, content: str) -> str:
    """The text with this content between the marks of that name."""
    start, end = f"<!-- {name}: start -->", f"<!-- {name}: end -->"
    marked = re.compile(f"{start}.*?{end}", flags=re.DOTALL)
    return marked.sub(lambda _: f"{start}\n{content}\n{end}", text)


def main() -> None:
    text = fill(README.read_text(encoding="utf8"), "results", table())
    if (RESULTS / "matrix.json").exists():
        text = fill(text, "matrix", peers(Matrix.read(RESULTS / "matrix.json")))
    README.write_text(text, encoding="utf8")


if __name__ == "__main__":
    main()
