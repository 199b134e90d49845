"""The report as Markdown: its words and tables, without figures."""

from __future__ import annotations

from collections.abc import Mapping

from kernelproba.report.column_markdown import columns_part, slices_part
from kernelproba.report.markdown_text import escape, lines_table
from kernelproba.report.summary_types import (
    CalibrationSummary,
    ClassScores,
    Confusion,
    DataSummary,
    FlaggedRow,
    LeftOutColumn,
    NoveltySummary,
    RivalsSummary,
    Summary,
)
from kernelproba.report.wording import (
    BRIER_TEXTS,
    SCORE_TEXTS,
    against_text,
    compared,
    confused_pairs,
    heading,
    interval,
    novelty_text,
    number,
    opening,
    parameters,
    seconds,
    set_rows,
    sets_text,
    share,
    signed,
    trust,
)


def markdown(summary: Summary) -> str:
    """Return the report as Markdown."""
    parts = [
        f"# {escape(heading(summary))}: report",
        f"By {escape(summary['model']['name'])}, {summary['made']}.",
        opening(summary),
        trust(summary),
        _findings(summary["findings"]),
        _section("Scores", _scores(summary)),
        _section("Classes", _classes(summary["classes"])),
        _rivals(summary["rivals"]),
        _against(summary),
        _section("Columns", columns_part(summary["columns"])),
        _section("Calibration", _calibration(summary["calibration"])),
        _section("Mistakes", _mistakes(summary["confusion"])),
        _section("Where it errs most", slices_part(summary["slices"])),
        _sets(summary),
        _novelty(summary["novelty"]),
        _section("Rows most in doubt", f"{summary['row_numbers']}\n\n{_doubtful(summary['doubtful_rows'])}"),
        _section("Labels that look wrong", _doubted(summary["doubted_labels"])),
        _training(summary["doubted_training_labels"]),
        _section("Data", _data(summary["data"])),
        _left_out(summary["left_out"]),
        _section("Time and versions", _reproduce(summary)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(title: str, body: str) -> str:
    return f"## {title}\n\n{body}"


def _scores(summary: Summary) -> str:
    rows = [
        (text.title, number(score["estimate"], text.percent), interval(score, text.percent),
         number(summary["baseline"].get(key), text.percent), text.meaning)
        for key, text in SCORE_TEXTS.items()
        for score in [summary["scores"][key]]
    ]  # fmt: skip
    stated = f"stating class frequencies {summary['baseline_counted']}"
    return lines_table(["score", "value", "95% interval", stated, "meaning"], rows)


def _findings(findings: list[str]) -> str:
    return (
        _section("Before you believe it", "\n".join(f"- {escape(each)}" for each in findings))
        if findings
        else ""
    )


def _classes(classes: list[ClassScores]) -> str:
    rows = [
        (
            escape(c["name"]),
            c["rows"],
            c["predicted"],
            share(c["recall"]),
            share(c["precision"]),
            share(c["auc"]),
        )
        for c in classes
    ]
    return lines_table(["class", "rows", "called so", "recall", "precision", "AUC"], rows)


def _rivals(rivals: RivalsSummary | None) -> str:
    if rivals is None:
        return ""
    titles = [text.title for text in SCORE_TEXTS.values()]
    rows = [
        (
            escape(method["method"]),
            *(_with_interval(method, key, text.percent) for key, text in SCORE_TEXTS.items()),
            seconds(method["fit_seconds"]),
            escape(method["problem"] or ""),
        )
        for method in rivals["methods"]
    ]
    table = lines_table(["method", *titles, "fit", "problem"], rows)
    return _section("Rivals", f"{compared(rivals)}\n\n{table}")


def _against(summary: Summary) -> str:
    rows = [
        (text.title, number(summary["scores"][key]["estimate"], text.percent), escape(other["name"]),
         number(other["scores"][key]["estimate"], text.percent), signed(gap["estimate"], text.percent),
         f"{signed(gap['low'], text.percent)} to {signed(gap['high'], text.percent)}")
        for other in summary["against"]
        for key, text in SCORE_TEXTS.items()
        for gap in [other["differences"][key]]
    ]  # fmt: skip
    if not rows:
        return ""
    columns = ["score", "this model", "other model", "its score", "difference", "95% interval"]
    said = "\n\n".join(escape(against_text(other)) for other in summary["against"])
    return _section("Beside other models", f"{said}\n\n{lines_table(columns, rows)}")


def _with_interval(method: Mapping[str, float | None], key: str, percent: bool) -> str:
    if method[key] is None:
        return "–"
    ends = interval({"low": method[f"{key}_low"], "high": method[f"{key}_high"]}, percent)
    return f"{number(method[key], percent)} ({ends})"


def _calibration(calibration: CalibrationSummary) -> str:
    errors = [
        (e["kind"], "debiased" if e["debiased"] else "plain", number(e["estimate"], True), interval(e, True))
        for e in calibration["errors"]
    ]
    bins = calibration["top_label"]["bins"]
    keys = ("low", "high", "count", "probability", "frequency", "frequency_low", "frequency_high")
    reliability = [
        (f"{low:.0%} to {high:.0%}", count, f"{p:.1%}", f"{f:.1%}", f"{f_low:.1%} to {f_high:.1%}")
        for low, high, count, p, f, f_low, f_high in zip(*(bins[key] for key in keys), strict=True)
    ]
    parts = [
        (key.replace("_", " "), number(calibration["brier_parts"][key]["estimate"]),
         interval(calibration["brier_parts"][key]), text)
        for key, text in BRIER_TEXTS.items()
    ]  # fmt: skip
    classes = [(escape(c["name"]), number(c["ece"], True)) for c in calibration["classes"]]
    return "\n\n".join(
        [
            lines_table(["bin", "rows", "stated", "observed", "95% interval"], reliability),
            lines_table(["calibration error", "kind", "value", "95% interval"], errors),
            lines_table(["part of the Brier score", "value", "95% interval", "meaning"], parts),
            lines_table(["class", "calibration error"], classes),
        ]
    )


def _mistakes(confusion: Confusion) -> str:
    rows = [
        (escape(m["true"]), escape(m["predicted"]), m["rows"], f"{m['share']:.1%}")
        for m in confused_pairs(confusion)
    ]
    return lines_table(["true class", "predicted", "rows", "share of the true class"], rows)


def _sets(summary: Summary) -> str:
    if summary["sets"] is None:
        return ""
    columns = ["asked for", "label in the set", "labels per set", "sets of one label"]
    table = lines_table(columns, set_rows(summary["sets"]))
    return _section("Sets of labels", f"{sets_text(summary)}\n\n{table}")


def _novelty(novelty: NoveltySummary | None) -> str:
    if novelty is None:
        return ""
    rows = [
        (escape(r["row"]), f"{r['novelty']:.1%}", number(r["p_value"]), escape(r["predicted"]),
         f"{r['predicted_probability']:.1%}")
        for r in novelty["rows"]
    ]  # fmt: skip
    table = lines_table(["row", "novelty", "p-value", "likeliest", "probability"], rows)
    return _section("Rows unlike those of training", f"{novelty_text(novelty)}\n\n{table}")


def _doubtful(records: list[FlaggedRow]) -> str:
    rows = [
        (escape(r["row"]), escape(r["label"]), escape(r["predicted"]), f"{r['predicted_probability']:.1%}",
         escape(r["runner_up"]), f"{r['runner_up_probability']:.1%}", _moved_by(r))
        for r in records
    ]  # fmt: skip
    columns = ["row", "label", "likeliest", "probability", "next", "probability of next", "moved most by"]
    return lines_table(columns, rows)


def _moved_by(record: FlaggedRow) -> str:
    reasons = record.get("reasons", ())
    return ", ".join(f"{escape(each['column'])} {each['contribution']:+.2f}" for each in reasons)


def _doubted(records: list[FlaggedRow]) -> str:
    rows = [
        (escape(r["row"]), escape(r["label"]), f"{r['probability']:.2%}", escape(r["predicted"]),
         f"{r['predicted_probability']:.1%}")
        for r in records
    ]  # fmt: skip
    return lines_table(["row", "label", "its probability", "likeliest", "probability"], rows)


def _training(records: list[FlaggedRow] | None) -> str:
    return "" if records is None else _section("Training labels that look wrong", _doubted(records))


def _data(data: DataSummary) -> str:
    classes = [(escape(c["name"]), c["rows"], number_or_dash(c["training_rows"])) for c in data["classes"]]
    columns = [(escape(c["name"]), c["kind"], c["missing"], c["distinct"]) for c in data["columns"]]
    return "\n\n".join(
        [
            f"{data['rows']:,} held-out rows, {number_or_dash(data['training_rows'])} training rows, "
            f"{data['n_columns']:,} columns.",
            lines_table(["class", "held-out rows", "training rows"], classes),
            lines_table(["column", "kind", "missing", "distinct values"], columns),
        ]
    )


def _left_out(columns: list[LeftOutColumn]) -> str:
    rows = [(escape(each["name"]), escape(each["why"])) for each in columns]
    return _section("Columns left out", lines_table(["column", "why"], rows)) if rows else ""


def number_or_dash(count: int | None) -> str:
    """A count with thousands set apart, a dash for one that is not known."""
    return "–" if count is None else f"{count:,}"


def _reproduce(summary: Summary) -> str:
    times = [(escape(what), seconds(value)) for what, value in summary["timings"].items()]
    versions = [(escape(name), escape(version)) for name, version in summary["versions"].items()]
    model = f"```\n{_fenced(summary['model']['description'])}\n```"
    command = f"```\n{_fenced(summary['command'])}\n```" if summary["command"] else ""
    given = [tuple(map(escape, each)) for each in parameters(summary)]
    parts = [
        lines_table(["step", "time"], times),
        lines_table(["package", "version"], versions),
        lines_table(["parameter", "value", "origin"], given) if given else "",
        model,
        command,
    ]
    return "\n\n".join(part for part in parts if part)


def _fenced(text: str) -> str:
    """Text that cannot end the block of code around it."""
    return text.replace("```", "``\N{ZERO WIDTH SPACE}`")
