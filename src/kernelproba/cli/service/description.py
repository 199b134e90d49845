"""What a service says of itself: OpenAPI, and a page for people that needs no network."""

from __future__ import annotations

import datetime
import html
import json
import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

from kernelproba import __version__
from kernelproba.plain_text import name
from kernelproba.tables.encoding.categories import CategoryEncoder, OrderedEncoder
from kernelproba.tables.encoding.dates import DateEncoder
from kernelproba.tables.encoding.numbers import NumberEncoder
from kernelproba.tables.readings import DATE, FLAG, Reading
from kernelproba.tables.unfamiliar import seen_values

if TYPE_CHECKING:
    from kernelproba.cli.service.answers import Answers
    from kernelproba.cli.table_model import TableModel

_TYPES = {"number": ["number", "null"], "flag": ["boolean", "null"]}


#: What may go wrong, by the status of the answer.
_PROBLEMS = {
    "400": "The body is no JSON, or does not ask for what can be answered.",
    "408": "The body came too slowly.",
    "413": "The body is too large.",
    "415": "The body is not said to be JSON.",
    "503": "The answer took too long.",
}

_ERROR = {"type": "object", "required": ["error"], "properties": {"error": {"type": "string"}}}


def open_api(answers: Answers, max_rows: int) -> dict[str, object]:
    """Return the description of the service in OpenAPI 3.1."""
    model = answers.model
    answer = {"description": "Answers, row by row.", "content": _json(_answer_schema(model))}
    problems = {code: {"description": text, "content": _json(_ERROR)} for code, text in _PROBLEMS.items()}
    predict = {
        "summary": "Probabilities of rows",
        "requestBody": {"required": True, "content": _json(_request_schema(model, max_rows))},
        "responses": {"200": answer} | problems,
    }
    health = {"summary": "Whether it runs", "responses": {"200": {"description": "It does."}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"kernelproba: {name(model.target)}", "version": __version__},
        "paths": {"/predict": {"post": predict}, "/health": {"get": health}},
    }


def _request_schema(model: TableModel, max_rows: int) -> dict[str, object]:
    row = {
        "type": "object",
        "required": [name(column) for column in model.readings],
        "properties": {
            name(column): {"type": _TYPES.get(reading.kind, ["string", "number", "boolean", "null"])}
            for column, reading in model.readings.items()
        },
    }
    return {
        "type": "object",
        "required": ["rows"],
        "additionalProperties": False,
        "properties": {
            "rows": {"type": "array", "minItems": 1, "maxItems": max_rows, "items": row},
            "confidence": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "reasons": {"type": "boolean", "default": False},
        },
    }


def _answer_schema(model: TableModel) -> dict[str, object]:
    prediction = {
        "type": "object",
        "required": ["label", "probabilities"],
        "properties": {
            "label": {"enum": [name(label) for label in model.classes.tolist()]},
            "probabilities": {"type": "object", "additionalProperties": {"type": "number"}},
            "set": {"type": "array", "items": {"type": "string"}},
            "reasons": {"type": "object"},
            "unfamiliar": {"type": "array", "items": {"type": "string"}},
        },
    }
    return {
        "type": "object",
        "required": ["predictions"],
        "properties": {
            "predictions": {"type": "array", "items": prediction},
            "ignored": {"type": "array", "items": {"type": "string"}},
        },
    }


def _json(schema: Mapping[str, object]) -> dict[str, object]:
    return {"application/json": {"schema": schema}}


_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; padding: .75rem; border: 1px solid; }}
table {{ border-collapse: collapse; }}
th, td {{ text-align: left; vertical-align: baseline; padding: .2rem 1rem .2rem 0; overflow-wrap: anywhere; }}
td:first-child {{ min-width: 7rem; }}
</style>
<main>
<h1>{title}</h1>
<p>{estimator}, fitted on {rows} rows; classes: {classes}.</p>
<h2>Ask</h2>
<pre>curl -s -H 'Content-Type: application/json' {place} -d {example}</pre>
<p>Each row is an object with the columns below; <code>null</code> is a gap.
<code>"confidence": 0.9</code> adds a set of labels that holds the true one so often,
<code>"reasons": true</code> the contributions of the columns to the log-odds{reasons}.
An answer names columns whose values are unlike all of training as <code>unfamiliar</code>.
The whole in <a href="openapi.json">OpenAPI</a>.</p>
<h2>Columns</h2>
<table><thead><tr>
<th scope="col">column</th><th scope="col">kind</th><th scope="col">in training</th></tr></thead><tbody>
{columns}
</tbody></table>
</main>
</html>
"""


def service_page(answers: Answers, address: str) -> str:
    """Return a page on the service at an address."""
    model = answers.model
    fitted = model.model.encoder_._fitted_
    row = {
        name(column): _typical(each.encoder, reading)
        for each, (column, reading) in zip(fitted, model.readings.items(), strict=True)
    }
    example = shlex.quote(json.dumps({"rows": [row]}, ensure_ascii=False))
    columns = "\n".join(
        _line(column, reading, seen_values(each))
        for each, (column, reading) in zip(fitted, model.readings.items(), strict=True)
    )
    return _PAGE.format(
        title=html.escape(f"kernelproba: {name(model.target)}"),
        estimator=type(model.classifier).__name__,
        rows=f"{len(model.rows):,}",
        classes=html.escape(", ".join(name(label) for label in model.classes.tolist()[:50])),
        place=html.escape(shlex.quote(f"{address}/predict")),
        example=html.escape(example),
        reasons="" if answers.has_reasons else " (only if the service is started with --training FILE)",
        columns=columns,
    )


def _line(column: str, reading: Reading, seen: str) -> str:
    kind = f"{reading.noun}, {reading.written}" if reading.kind == DATE and reading.written else reading.noun
    cells = (name(column), kind, seen)
    return f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"


def _typical(encoder: object, reading: Reading) -> object:
    """Return a value of a column as one may send it; None if there is none to show."""
    if isinstance(encoder, NumberEncoder):
        return encoder.median_ > 0.5 if reading.kind == FLAG else float(f"{encoder.median_:.4g}")
    if isinstance(encoder, CategoryEncoder | OrderedEncoder):
        levels = encoder.levels_ if isinstance(encoder, CategoryEncoder) else encoder.levels
        return next((str(level) for level in levels if level is not None), None)
    if isinstance(encoder, DateEncoder):
        day = datetime.date(1970, 1, 1) + datetime.timedelta(days=round(encoder.days_.median_))
        text = day.strftime(reading.style) if "%" in reading.style else day.isoformat()
        return text if reading.kind != DATE or reading.values([text])[1][0] else None
    return None
