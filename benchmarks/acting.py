"""What acting on probabilities achieves: costs, changed priors, weights, reasons and suspects.

``OPENBLAS_NUM_THREADS=1 python benchmarks/acting.py`` writes docs/results/acting.json and acting.md in
about three minutes.  KERNELPROBA_DATA names the directory of the data sets, as everywhere.
"""

import json
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy.stats import chi2
from sklearn.datasets import make_moons
from sklearn.frozen import FrozenEstimator
from sklearn.metrics import log_loss
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, RepeatedStratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelproba import KernelLogisticRegression, PairwiseCouplingClassifier, PriorShiftClassifier
from kernelproba.datasets import Gaussian, Mixture, load
from kernelproba.decision import estimate_priors, minimum_risk, realised_cost, shift_test
from kernelproba.inspection import explain, suspects

RESULTS = Path(__file__).parent.parent / "docs" / "results"
LEVEL = "rejected at 5 % without shift"
ECOLI_PRIORS = np.array([143, 77, 52, 35, 20]) / 327


def gaussians(rng, n_classes: int, n_features: int, scale: float, priors=None) -> Mixture:
    """Round Gaussians with random means: a problem whose posterior is known."""
    means = scale * rng.normal(size=(n_classes, n_features))
    return Mixture([[Gaussian(mean, np.eye(n_features))] for mean in means], priors=priors)


def bayes_costs(trials: int = 400) -> list[dict]:
    """Realised cost given the true posterior, against the Bayes cost from another sample."""
    rng, table = np.random.default_rng(0), []
    for c in (2, 3, 6):
        z = []
        for _ in range(trials):
            problem, L = gaussians(rng, c, 2, 1.5), rng.exponential(size=(c, c))
            X, y = problem.sample(2000, int(rng.integers(2**31)))
            cost = realised_cost(y, minimum_risk(problem.posterior(X), L).chosen, L)
            other, _ = problem.sample(10_000, int(rng.integers(2**31)))
            bayes = minimum_risk(problem.posterior(other), L).risk
            se = np.sqrt(cost.var() / len(cost) + bayes.var() / len(bayes))
            z.append((cost.mean() - bayes.mean()) / se)
        within = np.mean(np.abs(z) <= 2)
        table.append({"classes": c, "problems": trials, "within 2 s.e.": within, "mean z": np.mean(z)})
    return table


def recovered_priors(trials: int = 200, rows: int = 500) -> list[dict]:
    """Estimated priors against the true new ones, and how often the test cries wolf without a shift."""
    rng, table = np.random.default_rng(1), []
    for c, fitted in ((2, False), (3, False), (6, False), (3, True)):
        within, joint, p_values = [], [], []
        for _ in range(trials):
            problem = gaussians(rng, c, 2, 2.0)
            model, old, n_train = _calibrated(problem, fitted, rng)
            new = rng.dirichlet(np.full(c, 5.0))
            X, _ = Mixture(problem.densities, priors=new).sample(rows, int(rng.integers(2**31)))
            estimate = estimate_priors(model.predict_proba(X), old, n_train=n_train)
            miss = estimate.priors - new
            within.append(np.abs(miss) <= 2 * estimate.std_error)
            joint.append(miss @ np.linalg.pinv(estimate.covariance, rcond=1e-8) @ miss)
            for _ in range(5):
                X, _ = problem.sample(rows, int(rng.integers(2**31)))
                same = estimate_priors(model.predict_proba(X), old, n_train=n_train)
                p_values.append(shift_test(same).p_value)
        table.append(
            {
                "posterior": "kernel logistic regression, 500 rows" if fitted else "known",
                "classes": c,
                "simulations": trials,
                "priors within 2 s.e.": np.mean(within),
                "in the joint 95.4 % region": np.mean(np.array(joint) <= chi2.ppf(0.9545, c - 1)),
                LEVEL: np.mean(np.array(p_values) < 0.05),
            }
        )
    return table


def _calibrated(problem: Mixture, fitted: bool, rng) -> tuple:
    """Return a model of the posterior, its priors, and the number of rows it was fitted on."""
    c = len(problem.classes_)
    if not fitted:
        return problem, np.full(c, 1 / c), np.inf
    X, y = problem.sample(500, int(rng.integers(2**31)))
    model = KernelLogisticRegression(C=1.0, gamma=0.1).fit(X, y)
    return model, np.bincount(y, minlength=c) / len(y), len(y)


def thinned_classes(draws: int = 10, n_train: int = 2000) -> list[dict]:
    """Log loss on test rows of which half of the classes were thinned to 10 %.

    Priors are estimated on one half of those rows, without labels, and scored on the other.  The likeliest
    priors are now and then exactly 0 for a class that is there after all; ``adapt`` is more cautious.
    """
    table = []
    for name, model in (
        ("usps", KernelLogisticRegression(C=10, gamma=1 / 128)),
        ("satimage", make_pipeline(StandardScaler(), KernelLogisticRegression(C=10))),
    ):
        data, rng = load(name), np.random.default_rng(0)
        rows = rng.choice(len(data.X), n_train, replace=False)
        model.fit(data.X[rows], data.y[rows])
        shift = PriorShiftClassifier(FrozenEstimator(model)).fit(data.X[rows], data.y[rows])
        losses = np.array([_thin_and_adapt(shift, data, rng) for _ in range(draws)])
        before, likeliest, after, known, p_value = losses.T
        table.append(
            {
                "data": name,
                "draws": draws,
                "log loss before": before.mean(),
                "with the likeliest priors": likeliest.mean(),
                "after adapt": after.mean(),
                "with the true priors": known.mean(),
                "draws improved": np.mean(after < before),
                "largest p-value of the test": p_value.max(),
            }
        )
    return table


def _thin_and_adapt(shift: PriorShiftClassifier, data, rng) -> tuple[float, ...]:
    classes = shift.classes_
    rare = rng.permutation(classes)[: len(classes) // 2]
    rows = rng.permutation(np.flatnonzero(~np.isin(data.y_test, rare) | (rng.random(len(data.y_test)) < 0.1)))
    unlabelled, scored = np.array_split(rows, 2)
    X, y = data.X_test[scored], data.y_test[scored]
    before = log_loss(y, shift.estimator_.predict_proba(X), labels=classes)
    after = log_loss(y, shift.adapt(data.X_test[unlabelled]).predict_proba(X), labels=classes)
    p_value = shift.shift_test_.p_value
    likeliest = estimate_priors(shift.estimator_.predict_proba(data.X_test[unlabelled]), shift.train_priors_)
    shift.priors_ = likeliest.priors
    alone = log_loss(y, shift.predict_proba(X), labels=classes)
    shift.priors_ = np.array([np.mean(data.y_test[rows] == k) for k in classes])
    known = log_loss(y, shift.predict_proba(X), labels=classes)
    return before, alone, after, known, p_value


def undone_weights(repeats: int = 4, simulations: int = 20) -> list[dict]:
    """Log loss of an unweighted fit, of a balanced one, and of a balanced one with undo_weights.

    new_thyroid by repeated 5-fold cross-validation; the simulations have the class frequencies of the five
    largest classes of ecoli (143, 77, 52, 35, 20 rows) in 7 features and 4000 test rows.
    "searched": C from 3-fold cross-validation within the training rows, for each fit by itself.
    """
    table = []
    data = load("new_thyroid")
    folds = list(RepeatedStratifiedKFold(n_splits=5, n_repeats=repeats, random_state=0).split(data.X, data.y))
    splits = [(data.X[a], data.y[a], data.X[b], data.y[b]) for a, b in folds]
    simulated = []
    for seed in range(simulations):
        problem = gaussians(np.random.default_rng(seed), 5, 7, 0.9, ECOLI_PRIORS)
        simulated.append((*problem.sample(327, 100 + seed), *problem.sample(4000, 200 + seed)))
    for name, parts in (("new_thyroid", splits), ("ecoli-like", simulated)):
        for C in ("1", "10", "searched"):
            losses = np.array([_weighted_losses(C, *part) for part in parts])
            plain, balanced, undone = losses.mean(axis=0)
            excess = losses[:, 2] - losses[:, 0]
            table.append(
                {
                    "data": name,
                    "C": C,
                    "fits": len(parts),
                    "unweighted": plain,
                    "balanced": balanced,
                    "undone": undone,
                    "undone / unweighted": undone / plain,
                    "± s.e.": excess.std() / np.sqrt(len(excess)) / plain,
                }
            )
    return table


def _weighted_losses(C: str, X, y, X_new, y_new) -> list[float]:
    options = [{}, {"class_weight": "balanced"}, {"class_weight": "balanced", "undo_weights": True}]
    losses = []
    for chosen in options:
        kernel_model = KernelLogisticRegression(C=1.0 if C == "searched" else float(C), **chosen)
        model = make_pipeline(StandardScaler(), kernel_model)
        if C == "searched":
            grid = {"kernellogisticregression__C": np.logspace(0, 2, 5)}
            model = GridSearchCV(model, grid, scoring="neg_log_loss", cv=3)
        model.fit(X, y)
        losses.append(log_loss(y_new, model.predict_proba(X_new), labels=model.classes_))
    return losses


def summed_reasons() -> list[dict]:
    """How far contributions are from adding up to the decision function."""
    data = load("wine")
    X, y = StandardScaler().fit_transform(data.X), data.y
    two = y != y[0]
    K = rbf_kernel(X, gamma=0.1)
    table = []
    for name, model, fit, new in (
        ("softmax", KernelLogisticRegression(C=10), (X, y), X),
        ("binary", KernelLogisticRegression(C=10), (X[two], y[two]), X),
        ("linear kernel", KernelLogisticRegression(kernel="linear"), (X, y), X),
        ("single precision", KernelLogisticRegression(C=10), (X.astype(np.float32), y), X.astype(np.float32)),
        ("precomputed", KernelLogisticRegression(kernel="precomputed"), (K, y), K),
        ("weights undone", KernelLogisticRegression(class_weight="balanced", undo_weights=True), (X, y), X),
        ("pairwise", PairwiseCouplingClassifier(KernelLogisticRegression(C=10)), (X, y), X),
    ):
        model.fit(*fit)
        inner = getattr(model, "estimators_", [model])
        scores = np.column_stack([part.decision_function(new) for part in inner])
        lines = explain(model, new, top=3)
        sums = lines.groupby(["explained", "class", "against"], dropna=False, sort=False)["contribution"]
        gap = np.abs(sums.sum().to_numpy() - scores.ravel()).max()
        table.append({"model": name, "scores": scores.size, "largest gap": gap})
    return table


def flipped_labels() -> list[dict]:
    """Share of flipped rows among twice as many suspects, 5 % of the labels being flipped."""
    wine, satimage = load("wine"), load("satimage")
    rows = np.random.default_rng(0).choice(len(satimage.X), 2000, replace=False)
    table = []
    for name, draws, draw in (
        ("wine", 20, lambda seed: (wine.X, wine.y)),  # noqa: ARG005
        ("two moons, noise 0.2, 500 rows", 20, lambda seed: make_moons(500, noise=0.2, random_state=seed)),
        ("satimage, 2000 rows", 2, lambda seed: (satimage.X[rows], satimage.y[rows])),  # noqa: ARG005
        ("two moons, noise 0.3, 500 rows", 20, lambda seed: make_moons(500, noise=0.3, random_state=seed)),
    ):
        shares = [_share_found(*draw(seed), seed) for seed in range(draws)]
        table.append({"data": name, "draws": draws, "mean share": np.mean(shares), "least": np.min(shares)})
    return table


def _share_found(X, y, seed: int) -> float:
    rng = np.random.default_rng(seed)
    classes, codes = np.unique(y, return_inverse=True)
    flipped = rng.choice(len(y), round(0.05 * len(y)), replace=False)
    codes[flipped] = (codes[flipped] + rng.integers(1, len(classes), size=len(flipped))) % len(classes)
    model = make_pipeline(StandardScaler(), KernelLogisticRegression())
    return float(np.isin(flipped, suspects(model, X, classes[codes], top=2 * len(flipped))["row"]).mean())


def _loses_little(table: list[dict], C: str) -> bool:
    return all(row["undone / unweighted"] <= 1.02 for row in table if row["C"] == C)


def _least(table: list[dict], column: str) -> float:
    return min(row[column] for row in table)


CLAIMS = {
    "Costs": [
        ("9 of 10 within two standard errors", lambda rows: _least(rows, "within 2 s.e.") >= 0.9),
    ],
    "Changed priors": [
        ("9 of 10 within two standard errors", lambda rows: _least(rows, "priors within 2 s.e.") >= 0.9),
        ("the test keeps its level, ± 2 %", lambda rows: all(abs(row[LEVEL] - 0.05) < 0.02 for row in rows)),
    ],
    "Thinned classes": [("every draw improves", lambda rows: _least(rows, "draws improved") == 1)],
    "Weights undone": [
        (f"at most 2 % worse than unweighted, C = {C}", partial(_loses_little, C=C))
        for C in ("1", "10", "searched")
    ],
    "Reasons": [("gaps below 1e-8", lambda rows: max(row["largest gap"] for row in rows) < 1e-8)],
    "Suspects": [
        ("3 of 4 found on average", lambda rows: _least(rows, "mean share") >= 0.75),
        ("3 of 4 found in every draw, noise 0.3 aside", lambda rows: _least(rows[:-1], "least") >= 0.75),
    ],
}
PARTS = {
    "Costs": bayes_costs,
    "Changed priors": recovered_priors,
    "Thinned classes": thinned_classes,
    "Weights undone": undone_weights,
    "Reasons": summed_reasons,
    "Suspects": flipped_labels,
}


def markdown(results: dict[str, list[dict]], seconds: float) -> str:
    """Return the page: one table for each part, under the sentence that says what it shows."""
    lines = [
        "# Acting on probabilities: results",
        "",
        f"Written by `OPENBLAS_NUM_THREADS=1 python benchmarks/acting.py` in {seconds:.0f} s; the numbers "
        "are in `acting.json`.",
    ]
    for title, table in results.items():
        doc = " ".join((PARTS[title].__doc__ or "").split())
        lines += ["", f"## {title}", "", doc, ""]
        lines += ["| " + " | ".join(table[0]) + " |", "|---" * len(table[0]) + "|"]
        lines += ["| " + " | ".join(map(_cell, row.values())) + " |" for row in table]
        verdicts = [(claim, "holds" if test(table) else "**does not hold**") for claim, test in CLAIMS[title]]
        lines += ["", *(f"- {claim}: {verdict}." for claim, verdict in verdicts)]
    return "\n".join(lines) + "\n"


def _cell(value) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def main() -> None:
    start, results = perf_counter(), {}
    for title, part in PARTS.items():
        results[title] = [{k: _plain(v) for k, v in row.items()} for row in part()]
        print(f"{title}: {perf_counter() - start:.0f} s", flush=True)
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "acting.json").write_text(json.dumps(results, indent=1) + "\n")
    (RESULTS / "acting.md").write_text(markdown(results, perf_counter() - start))


def _plain(value):
    return value.item() if isinstance(value, np.generic) else value


if __name__ == "__main__":
    main()
