"""Everything that a page knows of a model, as one object of JSON."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace

import numpy as np
from sklearn.base import BaseEstimator

from kernelproba.inspection.arguments import check_lengths
from kernelproba.onnx.graph import Tensor
from kernelproba.onnx.posteriors import GraphRows, log_posterior
from kernelproba.onnx.registration import FAMILIES
from kernelproba.onnx.wrappers import decision
from kernelproba.page.card import TrainingFacts, model_card
from kernelproba.page.decoding import OTHER
from kernelproba.page.fields import Form
from kernelproba.page.label_sets import set_thresholds
from kernelproba.page.novelty import page_novelty
from kernelproba.page.opened_model import OpenedModel, training_rows
from kernelproba.page.reasons import contributions
from kernelproba.page.recorder import PageGraph

#: A page of 5 MB has novelty from some 60,000 squared features, a megabyte.
_BYTES_PER_WORK = 80

assert FAMILIES  # whose import makes the classifiers known


def description(
    model: BaseEstimator,
    fitted: BaseEstimator,
    training: TrainingFacts,
    *,
    with_rows: bool,
    max_bytes: int,
) -> dict[str, object]:
    """Describe a model to the script of a page.

    Parameters
    ----------
    model : classifier
        Whose probabilities the page computes.
    fitted : classifier
        From which it was compressed, or the same.
    training : TrainingFacts
        What it learnt from.
    with_rows : bool
        Whether training rows are shown.
    max_bytes : int
        How large the page may be: the smaller, the coarser is the novelty.
    """
    opened = OpenedModel.of(model)
    graph, expansions = PageGraph(), opened.expansions()
    numbers, rows = training_rows(expansions)
    check_lengths(numbers, labels=training.labels, row_names=training.row_names)
    form = Form.of(opened, rows)
    inputs = [Tensor(graph, f"input{j}") for j in range(len(form.fields))]
    given = GraphRows(graph, [SimpleNamespace(onnx_name=each.name) for each in inputs])
    log_P = log_posterior(opened.outer, opened.outer_rows(given))
    chosen, labels = decision(opened.outer, log_P)
    X = opened.core_matrix(given)
    novelty = page_novelty(OpenedModel.of(fitted).core, X, max_bytes // _BYTES_PER_WORK)
    reasons = contributions(expansions, X) if with_rows and len(numbers) else []
    outputs = [
        graph("Exp", log_P),
        chosen,
        *([novelty.score] if novelty else []),
        *(r.values for r in reasons),
    ]
    return {
        "graph": graph.described(inputs, outputs),
        "classes": [str(label) for label in opened.outer.classes_.tolist()],
        "labels": [str(label) for label in labels.tolist()],
        "fields": [field.facts() for field in form.fields],
        "other": OTHER,
        "novelty": novelty.facts() if novelty else None,
        "reasons": [each.facts() for each in reasons],
        "rows": _shown_rows(numbers, form, training) if reasons else None,
        "sets": set_thresholds(fitted),
        "card": model_card(fitted, form, training, _compression(model, fitted)),
    }


def _compression(model: BaseEstimator, fitted: BaseEstimator) -> Mapping[str, float] | None:
    return None if model is fitted else OpenedModel.of(model).core.compression_


def _shown_rows(numbers: np.ndarray, form: Form, training: TrainingFacts) -> dict[str, object]:
    """Return the training rows that are centres: numbers, names, labels, and values field by field."""
    labels = training.labels
    return {
        "numbers": numbers.tolist(),
        "names": [training.row_name(row) for row in numbers.tolist()],
        "labels": [] if labels is None else [str(labels[row]) for row in numbers.tolist()],
        "values": form.values,
    }
