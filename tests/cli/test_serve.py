"""``kernelproba serve``: answers that are the model's own, and what is said of requests that cannot be."""

import asyncio
import gc
import html
import json
import shlex
import subprocess
import sys
import time
import urllib.request

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")
pytest.importorskip("httpx")

import httpx

from kernelproba.cli.service.answers import Answers
from kernelproba.cli.service.application import Limits, application
from kernelproba.cli.table_model import TableModel
from kernelproba.tables.files.table_format import open_table


@pytest.fixture(scope="module")
def answers(folder):
    model = TableModel.load(folder / "iris.skops")
    return Answers(model, model.training_frame(open_table(folder / "iris.csv")))


def ask(service, method, path, **options):
    """One request to an application, without a network."""

    async def send():
        transport = httpx.ASGITransport(app=service, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://model") as client:
            return await client.request(method, path, **options)

    return asyncio.run(send())


@pytest.fixture
def post(answers):
    return lambda body, **limits: ask(application(answers, Limits(**limits)), "POST", "/predict", json=body)


def records(frame):
    return json.loads(frame.to_json(orient="records"))


def test_answers_are_the_models_probabilities(post, answers, new_rows):
    reply = post({"rows": records(new_rows)})
    assert reply.status_code == 200
    found = [row["probabilities"] for row in reply.json()["predictions"]]
    expected = answers.model.model.predict_proba(new_rows)
    np.testing.assert_allclose(pd.DataFrame(found)[answers.model.classes], expected, atol=1e-9)
    labels = [row["label"] for row in reply.json()["predictions"]]
    assert labels == answers.model.model.predict(new_rows).tolist()


def test_gaps_texts_and_dates_are_taken_as_from_a_file(folder):
    model = TableModel.load(folder / "mixed.skops")
    table = pd.read_csv(folder / "mixed.csv")
    service = application(Answers(model))
    reply = ask(service, "POST", "/predict", json={"rows": records(table.drop(columns="outcome"))})
    found = [row["probabilities"]["ill"] for row in reply.json()["predictions"]]
    frame = pd.concat([X for X, _ in model.chunks(open_table(folder / "mixed.csv"), (), lambda _share: None)])
    expected = model.model.predict_proba(frame)[:, model.classes.tolist().index("ill")]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_sets_are_never_empty_and_grow_with_confidence(post, new_rows):
    # The fits to folds choose the last label of a set: it may be another than that of the fit to all rows.
    small, large = (
        [
            set(row["set"])
            for row in post({"rows": records(new_rows), "confidence": level}).json()["predictions"]
        ]
        for level in (0.8, 0.98)
    )
    assert all(small)
    assert all(before <= after for before, after in zip(small, large, strict=True))


def test_reasons_add_up_to_the_log_odds(post, new_rows):
    row = post({"rows": records(new_rows[:1]), "reasons": True}).json()["predictions"][0]
    p = row["probabilities"][row["label"]]
    total = row["reasons"]["baseline"] + sum(row["reasons"]["columns"].values())
    assert total == pytest.approx(np.log(p / (1 - p)), abs=1e-6)
    assert set(row["reasons"]["columns"]) == set(new_rows.columns)


GOOD = {"sepal length": 5.1, "sepal width": 3.5, "petal length": 1.4, "petal width": 0.2}


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], "must be an object"),
        ({"rows": []}, "one or more"),
        ({"rows": [3]}, "one or more"),
        ({"rows": [GOOD], "extra": 1}, "'extra' is unknown"),
        ({"rows": [{"sepal length": 1}]}, "row 1 lacks 'sepal width'"),
        ({"rows": [GOOD | {"petal width": "wide"}]}, "wide"),
        ({"rows": [GOOD | {"petal width": [1]}]}, "lists or objects"),
        ({"rows": [GOOD], "confidence": 2}, "between 0 and 1"),
        ({"rows": [GOOD], "confidence": True}, "between 0 and 1"),
        ({"rows": [GOOD], "confidence": 0.9999}, "100 training rows attain 0.99"),
        ({"rows": [GOOD], "reasons": "yes"}, "true or false"),
        ({"rows": [GOOD] * 1001}, "may hold 1,000"),
    ],
)
def test_a_request_that_cannot_be_answered_is_told_why(post, body, message):
    reply = post(body)
    assert reply.status_code == 400
    assert message in reply.json()["error"]


def test_columns_that_are_not_used_are_named(post):
    reply = post({"rows": [GOOD | {"colour": "red"}]})
    assert reply.json()["ignored"] == ["colour"]


@pytest.mark.parametrize("body", [b"", b"{", b'{"rows": NaN}', b"\xff\xfe", b"[" * 100_000])
def test_what_is_no_json_is_refused(answers, body):
    reply = ask(
        application(answers), "POST", "/predict", content=body, headers={"Content-Type": "application/json"}
    )
    assert reply.status_code == 400
    assert "no JSON" in reply.json()["error"]


def test_other_types_of_content_are_refused(answers):
    reply = ask(
        application(answers), "POST", "/predict", content=b"{}", headers={"Content-Type": "text/plain"}
    )
    assert reply.status_code == 415


def test_a_huge_body_is_refused_before_it_is_all_there(answers):
    sent = 0

    async def endless():
        nonlocal sent
        while True:
            sent += 1
            yield b"x" * 1000

    headers = {"Content-Type": "application/json"}
    reply = ask(
        application(answers, Limits(body_bytes=50_000)),
        "POST",
        "/predict",
        content=endless(),
        headers=headers,
    )
    assert reply.status_code == 413
    assert sent < 100


def test_a_slow_body_is_not_waited_for(answers):
    async def slow():
        yield b"{"
        await asyncio.sleep(30)
        yield b"}"

    headers = {"Content-Type": "application/json"}
    start = time.monotonic()
    service = application(answers, Limits(read_seconds=0.2))
    reply = ask(service, "POST", "/predict", content=slow(), headers=headers)
    assert reply.status_code == 408
    assert time.monotonic() - start < 10


def test_an_answer_that_takes_too_long_is_given_up(answers, monkeypatch):
    monkeypatch.setattr(Answers, "answer", lambda *_: time.sleep(1))
    reply = ask(application(answers, Limits(answer_seconds=0.1)), "POST", "/predict", json={"rows": [GOOD]})
    assert reply.status_code == 503


def test_an_error_of_ours_tells_nothing_of_the_inside(answers, monkeypatch):
    def fail(*_):
        raise RuntimeError("secret")

    monkeypatch.setattr(Answers, "answer", fail)
    reply = ask(application(answers), "POST", "/predict", json={"rows": [GOOD]})
    assert reply.status_code == 500
    assert "secret" not in reply.text


def test_the_service_describes_itself(answers):
    service = application(answers)
    described = ask(service, "GET", "/openapi.json").json()
    request = described["paths"]["/predict"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(request["properties"]["rows"]["items"]["required"]) == set(GOOD)
    page = ask(service, "GET", "/")
    assert "text/html" in page.headers["content-type"]
    assert "petal width" in page.text
    assert "http://" not in page.text
    assert ask(service, "GET", "/health").json()["status"] == "ok"
    assert ask(service, "GET", "/nothing").status_code == 404
    assert ask(service, "GET", "/predict").status_code == 405


def test_the_example_on_the_page_can_be_sent_as_it_is(folder):
    service = application(Answers(TableModel.load(folder / "mixed.skops")))
    command = html.unescape(ask(service, "GET", "/").text.partition("<pre>")[2].partition("</pre>")[0])
    *_, place, _, body = shlex.split(command)
    assert place.endswith("/predict")
    reply = ask(service, "POST", "/predict", json=json.loads(body))
    assert reply.status_code == 200
    assert "unfamiliar" not in reply.json()["predictions"][0]
    assert None not in json.loads(body)["rows"][0].values()


def test_values_unlike_all_of_training_are_named(folder):
    service = application(Answers(TableModel.load(folder / "mixed.skops")))
    row = {"age": 40.0, "sex": "f", "town": "Town 3", "visit": "2024-03-01", "smoker": True}
    asked = {"rows": [row, row | {"sex": "female", "age": 4000.0}]}
    known, strange = ask(service, "POST", "/predict", json=asked).json()["predictions"]
    assert "unfamiliar" not in known
    assert strange["unfamiliar"] == ["age", "sex"]


def test_hostile_names_are_text_on_the_page(folder, tmp_path, command):
    data = pd.read_csv(folder / "iris.csv").rename(columns={"petal width": "<script>alert(1)</script>"})
    data.to_csv(tmp_path / "t.csv", index=False)
    model = tmp_path / "m.skops"
    assert command("fit", tmp_path / "t.csv", "-t", "species", "-m", "kdc", "-o", model).code == 0
    page = ask(application(Answers(TableModel.load(model))), "GET", "/").text
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_the_command_listens_and_ends_when_it_is_told_to(folder):
    command = [sys.executable, "-m", "kernelproba", "serve", folder / "iris.skops", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = next(line for line in process.stderr if "running on" in line).split()[-5]
            with urllib.request.urlopen(f"{address}/health", timeout=20) as reply:
                assert json.load(reply)["status"] == "ok"
        finally:
            process.terminate()
            process.wait(20)


def test_what_is_loaded_is_no_garbage_to_look_through(command, folder, monkeypatch):
    frozen = []
    monkeypatch.setattr("uvicorn.run", lambda *_, **__: frozen.append(gc.get_freeze_count()))
    try:
        assert command("serve", folder / "iris.skops").code == 0
    finally:
        gc.unfreeze()
    assert frozen[0] > 10_000


def test_a_model_file_that_is_a_pickle_is_refused(command, tmp_path):
    (tmp_path / "m.skops").write_bytes(b"\x80\x04N.")
    assert "m.skops" in command("serve", tmp_path / "m.skops").error
