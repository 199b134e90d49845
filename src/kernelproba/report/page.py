"""The report as one page of HTML that loads nothing and runs nothing but its own script."""

from __future__ import annotations

from kernelproba.plain_text import shorten
from kernelproba.report import column_wording, wording
from kernelproba.report.figures.canvas import Element, markup
from kernelproba.report.figures.columns import dependence_figure, importance_figure, slices_figure
from kernelproba.report.figures.confidence import confidence_histogram
from kernelproba.report.figures.confusion import confusion_matrix
from kernelproba.report.figures.coverage import coverage_figure
from kernelproba.report.figures.curves import cost_figure, threshold_figure
from kernelproba.report.figures.intervals import score_ranking
from kernelproba.report.figures.posterior import hex_colours, posterior_figure
from kernelproba.report.figures.reliability import reliability
from kernelproba.report.self_contained import environment, policy, source
from kernelproba.report.summary_types import Reliability, Summary
from kernelproba.report.wording import SCORE_TEXTS

_FEW_CLASSES = 12


def page(summary: Summary) -> str:
    """Return the report as HTML."""
    templates = environment("kernelproba.report")
    from markupsafe import Markup

    style = source(templates, "report.css")
    script = source(templates, "theme.js") + source(templates, "report.js")
    figures = _figures(summary)
    return templates.get_template("report.html").render(
        s=summary,
        words=wording,
        column_words=column_wording,
        shorten=shorten,
        style=Markup(style),
        script=Markup(script),
        policy=policy(script),
        figures={key: [Markup(markup(figure)) for figure in group] for key, group in figures.items()},
        worst_classes=worst_classes(summary),
        colours=hex_colours(len(summary["data"]["classes"])),
    )


def _figures(summary: Summary) -> dict[str, list[Element]]:
    """All figures by the place where the template puts them."""
    calibration, confusion, rivals = summary["calibration"], summary["confusion"], summary["rivals"]
    columns, harder = summary["columns"], summary["slices"]["harder"]
    drawn = {
        "rivals": [
            score_ranking(rivals["methods"], key, text.title, text.percent)
            for key, text in SCORE_TEXTS.items()
            if rivals is not None
        ],
        "against": [
            score_ranking(wording.side_by_side(summary), key, text.title, text.percent)
            for key, text in SCORE_TEXTS.items()
            if summary["against"]
        ],
        "top_label": [reliability(calibration["top_label"]["bins"], "Reliability of the predicted class")],
        "classes": [
            reliability(table["bins"], f"Reliability of the class {table['name']}", small=True)
            for table in worst_classes(summary)
        ],
        "roc": [threshold_figure(curve, "roc") for curve in summary["curves"]],
        "precision_recall": [threshold_figure(curve, "precision-recall") for curve in summary["curves"]],
        "costs": [cost_figure(curve) for curve in summary["curves"]],
        "confusion": [confusion_matrix(confusion["classes"], confusion["counts"])],
        "confidence": [confidence_histogram(**summary["confidence"])],
        "importance": [importance_figure(column_wording.shown_importance(columns))],
        "dependence": [dependence_figure(each, len(confusion["classes"])) for each in columns["dependence"]],
        "slices": [slices_figure(harder, summary["scores"]["log_loss"]["estimate"])] if harder else [],
        "map": [],
        "coverage": [] if summary["sets"] is None else [coverage_figure(summary["sets"])],
    }
    if "reason" not in summary["map"]:
        drawn["map"] = [posterior_figure(summary["map"], confusion["classes"])]
    return drawn


def worst_classes(summary: Summary) -> list[Reliability]:
    """The classes that are drawn one by one: all, or of many those of the largest calibration error."""
    classes = summary["calibration"]["classes"]
    if len(classes) <= _FEW_CLASSES:
        return classes
    return sorted(classes, key=lambda table: -table["ece"])[:_FEW_CLASSES]
