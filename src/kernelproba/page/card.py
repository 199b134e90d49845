"""The card of a model: what it learnt from, how good it is, and where it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba import __version__
from kernelproba.inspection import score_intervals
from kernelproba.page.fields import Form
from kernelproba.page.opened_model import OpenedModel
from kernelproba.plain_text import name
from kernelproba.report.about import made_now
from kernelproba.report.wording import SCORE_TEXTS, number
from kernelproba.report.wording import interval as interval_text


@dataclass(frozen=True)
class TrainingFacts:
    """What only the caller can know of the training.

    Attributes
    ----------
    labels : sequence or None
        Of the training rows, in the order of the fit.
    row_names : sequence or None
        What the training rows are called; by default they are counted from 0.
    target : str or None
        Name of what is predicted.
    left_out : mapping of str to str
        Columns that were left out, and why.
    """

    labels: Sequence[object] | None = None
    row_names: Sequence[object] | None = None
    target: str | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)

    def row_name(self, row: int) -> str:
        """Return what a row is called."""
        return str(row) if self.row_names is None else name(self.row_names[row])


def model_card(
    model: BaseEstimator, form: Form, training: TrainingFacts, compression: Mapping[str, float] | None
) -> dict[str, object]:
    """Return the card: title, facts, scores and limits, all as texts.

    Parameters
    ----------
    model : classifier
        As it was fitted, before any compression.
    form : Form
        Its columns.
    training : TrainingFacts
        What it learnt from.
    compression : mapping or None
        What `kernelproba.compression.compress` says of the model on the page, if it was compressed.
    """
    opened = OpenedModel.of(model)
    return {
        "title": "A classifier" if training.target is None else name(training.target),
        "model": type(opened.core).__name__,
        "made": made_now(),
        "version": __version__,
        "facts": _facts(opened, form, training, compression),
        "classes": _class_counts(opened, training),
        "scores": _scores(opened, training),
        "limits": _limits(form, compression),
    }


def _facts(
    opened: OpenedModel, form: Form, training: TrainingFacts, compression: Mapping[str, float] | None
) -> list[tuple[str, str]]:
    facts = [("Model", type(opened.outer).__name__), ("Learnt by", type(opened.core).__name__)]
    if opened.outer is opened.core:
        facts = facts[:1]
    if training.labels is not None:
        facts.append(("Training rows", f"{len(training.labels):,}"))
    facts.append(("Columns", f"{len(form.fields):,}"))
    left_out = {name(column): why for column, why in training.left_out.items()}
    if opened.encoder is not None:
        dropped = {each.name: each.why for each in opened.encoder.columns_ if each.kind == "dropped"}
        left_out |= {name(column): why for column, why in dropped.items()}
    facts += [("Left out", f"{column}: {why}") for column, why in list(left_out.items())[:8]]
    if compression is not None:
        kept, before = int(compression["n_centers"]), int(compression["n_centers_before"])
        facts.append(("Compressed", f"{kept:,} of {before:,} centres"))
    return facts


def _class_counts(opened: OpenedModel, training: TrainingFacts) -> list[tuple[str, int | None]]:
    classes = opened.outer.classes_.tolist()
    if training.labels is None:
        return [(name(label), None) for label in classes]
    given = list(training.labels)
    return [(name(label), given.count(label)) for label in classes]


def _scores(opened: OpenedModel, training: TrainingFacts) -> list[dict[str, str]]:
    """Return what to expect of new rows, from the probabilities of training rows by fits without them."""
    P = None if opened.wrapped else getattr(opened.core, "loo_proba_", None)
    if P is None:
        return []
    if training.labels is None or len(training.labels) != len(P):
        means = {key: {"estimate": value} for key, value in opened.core.loo_scores_.items()}
    else:
        known = ~np.isnan(P).any(axis=1)
        labels = np.asarray(training.labels)[known]
        intervals = score_intervals(labels, P[known], classes=opened.core.classes_, random_state=0)
        means = {key: each._asdict() for key, each in intervals.items()}
    return [
        {
            "title": text.title,
            "value": number(means[key]["estimate"], text.percent),
            "interval": interval_text(means[key], text.percent),
            "meaning": text.meaning,
        }
        for key, text in SCORE_TEXTS.items()
        if key in means
    ]


def _limits(form: Form, compression: Mapping[str, float] | None) -> list[str]:
    limits = [
        "It speaks of rows that come from where its training rows came from. Elsewhere its probabilities are "
        "guesses, however firm they look."
    ]
    if any(field.low is not None for field in form.fields):
        limits.append("Beyond the range that a field shows nothing was learnt; the page marks such values.")
    limits.append("It has found what goes together, not what causes what.")
    if compression is not None:
        limits.append(
            f"It was compressed to fit on this page: its probabilities differ from those of the fitted model "
            f"by {compression['mean_kl']:.2g} nats in the mean (divergence). Scores and sets are the fitted "
            "model's."
        )
    return limits
