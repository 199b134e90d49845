"""The papers: every task can be found again, the smallest runs, and published pages show their JSON."""

import json
import os
import pickle
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from kernelproba.datasets import DATA_VARIABLE
from kernelproba.kernels import RBF
from kernelproba.papers import find, names, reproduce
from kernelproba.papers.page import cells, render_document
from kernelproba.report.json_values import json_value

RESULTS = Path(__file__).parents[3] / "docs" / "results"
needs_data = pytest.mark.skipif(
    not os.environ.get(DATA_VARIABLE), reason=f"{DATA_VARIABLE} names no directory"
)


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("name", names())
def test_every_task_can_go_to_another_process_and_needs_only_tasks_that_are_there(name, quick):
    tasks = find(name).tasks(quick)
    for task in tasks.values():
        assert task.needs <= tasks.keys()
        assert pickle.loads(pickle.dumps(task)) == task
        assert json.dumps([value for value in task.arguments if not hasattr(value, "key")])


@pytest.mark.parametrize("name", names())
def test_every_paper_says_what_it_is(name):
    paper = find(name)
    assert paper.name == name
    for text in (paper.title, paper.reference, paper.summary, paper.protocol):
        assert text.strip()


def test_an_unknown_paper_gets_the_list(tmp_path):
    with pytest.raises(
        ValueError, match=f"no paper is called 'newton1687'; the names are {', '.join(names())}"
    ):
        reproduce("newton1687", folder=tmp_path)


@pytest.mark.parametrize("name", [name for name in names() if (RESULTS / f"{name}.json").exists()])
def test_the_published_page_shows_the_numbers_of_its_json(name):
    document = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf8"))
    page = (RESULTS / f"{name}.md").read_text(encoding="utf8")
    assert page == render_document(document)
    for table in document["tables"]:
        for row in cells(table["rows"]):
            assert f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row.values())} |" in page
    assert all((RESULTS / figure["file"]).exists() for figure in document["figures"])


@pytest.mark.parametrize("name", [name for name in names() if (RESULTS / f"{name}.json").exists()])
def test_the_published_tables_follow_from_the_tasks_on_record(name):
    document = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf8"))
    lines = (RESULTS / f"{name}_tasks.jsonl").read_text(encoding="utf8").splitlines()
    results = {line["key"]: line["result"] for line in map(json.loads, lines) if "key" in line}
    paper = find(name)
    done = {key: results[key] for key in paper.tasks(False) if key in results}
    assert json_value([table.rows for table in paper.tables(done)]) == [t["rows"] for t in document["tables"]]
    assert document["tasks"]["done"] == len(done)


class TestCorona2016:
    def test_newton_raphson_agrees_with_scikit_learn_and_the_basis_functions_bend_the_boundary(self):
        result = find("corona2016").tasks(True)["two classes 0"]
        scores = result.function(*result.arguments)
        assert scores["two Gaussians"]["difference"] < 1e-5
        best, curved, straight = (scores[k]["error"] for k in ("best possible", "two Gaussians", "x itself"))
        assert best < curved < 0.12 < straight

    def test_the_true_posterior_has_the_least_log_loss(self):
        result = find("corona2016").tasks(True)["three classes 0"]
        scores = result.function(*result.arguments)
        assert min(scores, key=lambda name: scores[name]["log loss"]) == "best possible"


@needs_data
class TestMeinicke2002:
    def test_a_partition_gives_what_the_tables_list(self):
        task = find("meinicke2002").tasks(True)["thyroid 0 inner 5-fold"]
        record = task.function(*task.arguments)
        assert record.keys() == {"MCC", "SVM", "KDC"}
        assert all(0.8 < model["accuracy"] <= 1 for model in record.values())
        assert record["KDC"]["support"] == 1.0
        assert record["MCC"].keys() >= {"iterations", "deactivated", "first accuracy", "first support"}


@needs_data
class TestRoth2001:
    def test_views_for_training_are_forty_degrees_apart_and_none_is_a_test_view(self):
        from kernelproba.papers.pairwise_protocol import split

        parts = [split("coil20 images", number) for number in range(8)]
        assert {(len(part.y), len(part.y_test)) for part in parts} == {(180, 1260)}
        together = np.concatenate([part.X for part in parts])
        assert len(np.unique(together, axis=0)) == len(np.unique(np.r_[parts[0].X, parts[0].X_test], axis=0))

    def test_edges_have_the_papers_number_of_features_and_vanish_on_flat_images(self):
        from kernelproba.papers.pairwise_protocol import edges, split

        assert split("coil20 images + edges", 0).X.shape[1] == 1280
        assert not edges(np.full((2, 256), 0.3)).any()

    def test_folds_of_isolet_are_halves_of_the_parts_of_different_speakers(self):
        from kernelproba.papers.pairwise_protocol import split

        part = split("isolet", 0, rows_per_class=8)
        assert np.bincount(part.y)[1:].tolist() == [8] * 26
        assert np.bincount(part.folds).tolist() == [104, 104]

    def test_times_are_taken_of_every_model(self):
        from kernelproba.papers.pairwise_protocol import class_times

        seconds = class_times(2, 10)
        assert len(seconds) == 5
        assert min(seconds.values()) > 0


@needs_data
class TestSugiyama2010:
    def test_a_draw_has_equally_many_rows_of_the_first_classes_and_is_standardised(self):
        from kernelproba.papers.posterior_protocol import draw

        part = draw("satimage", 200, 3, seed=1)
        assert np.unique(part.y, return_counts=True)[1].tolist() == [66] * 3
        assert np.unique(part.y_test, return_counts=True)[1].tolist() == [100] * 3
        np.testing.assert_allclose(part.X.mean(axis=0), 0, atol=1e-9)
        np.testing.assert_allclose(part.X.std(axis=0), 1, atol=1e-9)

    def test_both_solvers_of_kernel_logistic_regression_find_the_same_model(self):
        from kernelproba.papers.posterior_protocol import KLR, PLAIN, build, draw

        part = draw("satimage", 100, 3, seed=0)
        setting = {"penalty": 0.1, "gamma": 0.02}
        slow = build(PLAIN, setting).fit(part.X, part.y)
        ours = build(KLR, setting).set_params(tol=1e-8).fit(part.X, part.y)
        peers = RBF(slow.width)(part.X_test, part.X) @ slow.coef_
        peer, own = (F - F.mean(axis=1, keepdims=True) for F in (peers, ours.decision_function(part.X_test)))
        np.testing.assert_allclose(peer, own, atol=2e-3)

    def test_a_point_of_the_curves_has_errors_and_times_of_every_method(self):
        from kernelproba.papers.posterior_protocol import METHODS, PLAIN, errors, times

        found = errors("satimage", 60, 2, 0)
        assert found.keys() == set(METHODS)
        assert all(record["error"] < 0.1 for record in found.values())
        seconds = times("satimage", 60, 2, 0, found)
        assert seconds.keys() == {*METHODS, PLAIN}
