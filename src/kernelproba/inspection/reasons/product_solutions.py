"""Shapley values of models whose scores are sums of products over columns, by the cheapest way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelproba.inspection.reasons.coalitions import Coalitions, least_seconds, solve
from kernelproba.inspection.reasons.level_grid import grid_seconds, grid_shares
from kernelproba.inspection.reasons.mixed_rows import MixedRows, log_odds, stating_model
from kernelproba.inspection.reasons.moments import MomentGame
from kernelproba.inspection.reasons.product_game import integral_seconds, integral_shares
from kernelproba.inspection.reasons.product_scores import CELLS, ProductScores, has_product_scores
from kernelproba.inspection.reasons.sampled_orders import OrderedJoining
from kernelproba.inspection.reasons.shared_sets import shared_seconds, shared_shares
from kernelproba.tables import TableClassifier
from kernelproba.typing import Classifier

#: Baseline, shares (d,) and their standard errors (d,).
Solution = tuple[float, np.ndarray, np.ndarray]

#: Seconds per row up to which several classes get exact shares.
_AFFORDABLE = 0.1

#: Scores up to which all probabilities are positive numbers, whatever the difference of two scores.
_NO_LIMIT = 300.0

#: Rows that are explained at once.
_ROWS = 25

#: Players up to which sets are numbered.
_MOST_PLAYERS = 20


def is_product_game(model: Classifier) -> bool:
    """Whether the contributions of columns to the log-odds of a model are exact at any number of columns."""
    model = stating_model(model)
    inner = model.estimator_ if isinstance(model, TableClassifier) else model
    return has_product_scores(inner) and len(inner.classes_) == 2


def product_solutions(
    model: Classifier, rows: MixedRows, labels: np.ndarray, rng: np.random.RandomState
) -> list[Solution | None]:
    """Return the solutions of the last rows, those that labels (n,) are of, against the rows before.

    None where scores are no sums of products, or where limits of probabilities keep shares from adding up.
    """
    stack, size = rows.array(), len(rows) - len(labels)
    if stack is None or not has_product_scores(model):
        return [None] * len(labels)
    cells = 2 * size * (len(rows.names) + 1) * (len(model.classes_) - 1)
    step = int(np.clip(CELLS // cells, 1, _ROWS))
    found: list[Solution | None] = []
    for first in range(0, len(labels), step):
        block = slice(first, first + step)
        scores = ProductScores(model, rows.groups, np.concatenate([stack[:size], stack[size:][block]]))
        solutions = _solved(scores, size, labels[block], rng)
        fit = _add_up(scores, size, labels[block], solutions)
        found += [
            _of_all_players(scores.players, len(rows.names), solution) if fits else None
            for solution, fits in zip(solutions, fit, strict=True)
        ]
    return found


def _add_up(scores: ProductScores, size: int, labels: np.ndarray, solutions: list[Solution]) -> list[bool]:
    """Return whether the shares of rows add up to the log-odds that the model states."""
    if scores.rows.dtype == np.float64 and abs(scores.of_rows).max() < _NO_LIMIT:
        return [True] * len(labels)  # no limit of probabilities, and no single precision
    odds = log_odds(scores.model, scores.rows)
    gaps = odds[size:] - odds[:size].mean(axis=0)
    return [
        bool(np.isclose(solution[1].sum(), gap[k], rtol=1e-6, atol=1e-6))
        for k, solution, gap in zip(labels, solutions, gaps, strict=True)
    ]


def _solved(
    scores: ProductScores, size: int, labels: np.ndarray, rng: np.random.RandomState
) -> list[Solution]:
    """Return baseline, shares and errors of the players that have columns."""
    way = _exact_of_two if len(scores.model.classes_) == 2 else _exact_of_several
    exact = way(scores, size, labels)
    if exact is None:
        return list(OrderedJoining(scores, size, labels).solved(rng))
    return [(*each, np.zeros_like(each[1])) for each in exact]


def _exact_of_two(scores: ProductScores, size: int, labels: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """Yield baseline and shares of two classes."""
    if len(scores.players) <= _MOST_PLAYERS:
        game = MomentGame(scores, size)
        if game.seconds() < integral_seconds(scores, size, len(labels)):
            return game.shares(labels)
    return integral_shares(scores, size, labels)


def _exact_of_several(
    scores: ProductScores, size: int, labels: np.ndarray
) -> Iterator[tuple[float, np.ndarray]] | None:
    """Yield baseline and shares of several classes; None if all sets of columns were dear."""
    p, n = len(scores.players), len(labels)
    cells = 2.0**p * n * size * (len(scores.model.classes_) - 1)
    shared = shared_seconds(scores, size, n) if cells <= CELLS else np.inf
    grid = grid_seconds(scores, size, n)
    if min(grid, shared) <= min(n * _AFFORDABLE, least_seconds(scores, size, n)):
        return (grid_shares if grid < shared else shared_shares)(scores, size, labels)
    games = _affordable_games(scores, size, labels)
    return None if games is None else solve(scores, games)


def _affordable_games(scores: ProductScores, size: int, labels: np.ndarray) -> list[Coalitions] | None:
    """Return the games of all rows by their sets of columns, None if that were dear."""
    if len(scores.players) > _MOST_PLAYERS:
        return None
    games: list[Coalitions] = []
    for i, label in enumerate(labels):
        games.append(Coalitions(scores, size, size + i, int(label)))
        if games[-1].seconds > _AFFORDABLE or games[-1].cells > CELLS // 8:
            return None
    return games


def _of_all_players(players: np.ndarray, n_players: int, solution: Solution) -> Solution:
    """Return a solution of the players that have columns as one of all players; others have no share."""
    full = np.zeros((2, n_players))
    full[:, players] = solution[1:]
    return solution[0], full[0], full[1]
