"""The service over HTTP: routes, limits on size and time, errors as JSON."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from kernelproba.cli.service.answers import Answers, BadRequest, Request
from kernelproba.cli.service.description import open_api, service_page
from kernelproba.plain_text import shorten
from kernelproba.tables.errors import TableError


@dataclass(frozen=True)
class Limits:
    """What a request may cost.

    Attributes
    ----------
    body_bytes, rows : int
        Size of a body, and rows in it.
    read_seconds, answer_seconds : float
        Time for a body to arrive, and for an answer to be found.
    """

    body_bytes: int = 4_000_000
    rows: int = 1_000
    read_seconds: float = 10.0
    answer_seconds: float = 30.0


class Refused(Exception):
    """A request that is answered by an error."""

    def __init__(self, status: int, message: str):
        super().__init__(message)
        self.status = status


def application(answers: Answers, limits: Limits | None = None) -> Starlette:
    """Return the service as an ASGI application.

    Parameters
    ----------
    answers : Answers
        The model.
    limits : Limits, optional
        What a request may cost.
    """
    limits = limits or Limits()
    # One thread: the model computes on all cores by itself, and requests wait for their turn.
    worker = ThreadPoolExecutor(1, "answers")
    described = open_api(answers, limits.rows)

    async def predict(request: HttpRequest) -> Response:
        try:
            body = _parsed(await _body(request, limits))
            asked = Request.of(body, limits.rows)
            waiting = asyncio.get_running_loop().run_in_executor(worker, answers.answer, asked)
            return JSONResponse(await asyncio.wait_for(waiting, limits.answer_seconds))
        except Refused as error:
            return _error(error.status, str(error))
        except (BadRequest, TableError) as error:
            return _error(400, str(error))
        except TimeoutError:
            return _error(503, f"no answer within {limits.answer_seconds:g} seconds: ask for fewer rows")

    async def health(_request: HttpRequest) -> Response:
        return JSONResponse({"status": "ok", "target": answers.model.target})

    async def description(_request: HttpRequest) -> Response:
        return JSONResponse(described)

    async def home(request: HttpRequest) -> Response:
        return HTMLResponse(service_page(answers, request.url.netloc))

    return Starlette(
        routes=[
            Route("/predict", predict, methods=["POST"]),
            Route("/health", health),
            Route("/openapi.json", description),
            Route("/", home),
        ],
        exception_handlers={404: _not_found, 405: _not_found, 500: _failed},
    )


async def _body(request: HttpRequest, limits: Limits) -> bytes:
    """Read a body, however long it claims to be, within the limits."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "say Content-Type: application/json")
    parts, size = [], 0
    try:
        async with asyncio.timeout(limits.read_seconds):
            async for part in request.stream():
                size += len(part)
                if size > limits.body_bytes:
                    raise Refused(413, f"a body may have {limits.body_bytes:,} bytes")
                parts.append(part)
    except TimeoutError:
        raise Refused(408, f"the body did not arrive within {limits.read_seconds:g} seconds") from None
    except ClientDisconnect:
        raise Refused(400, "the client has gone") from None
    return b"".join(parts)


def _parsed(body: bytes) -> object:
    """Return the JSON of a body; NaN and infinities are none."""

    def refuse(text: str) -> None:
        raise ValueError(f"{text} is no JSON: null is a gap")

    try:
        return json.loads(body, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"the body is no JSON: {shorten(str(error), 200)}") from None


def _error(status: int, message: str) -> Response:
    return JSONResponse({"error": message}, status_code=status)


async def _not_found(_request: HttpRequest, error: Any) -> Response:
    return _error(error.status_code, "there are POST /predict, GET /health, GET /openapi.json and GET /")


async def _failed(_request: HttpRequest, _exception: Exception) -> Response:
    return _error(500, "an error of ours: the log of the service says where")
