"""Model files: every model comes back, and nothing that is not ours is ever run."""

import io
import json
import pickle
import sys
import zipfile

import numpy as np
import pytest
import sklearn
from common.instances import INSTANCES
from sklearn.base import is_classifier
from sklearn.datasets import load_iris
from sklearn.gaussian_process import kernels as gp
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

import kernelproba
from kernelproba import (
    BasisExpansion,
    BasisLogisticRegression,
    ConformalClassifier,
    KernelLogisticRegression,
    KernelLogisticRegressionCV,
    LeastSquaresProbabilisticClassifier,
    MinimumRiskClassifier,
    PriorShiftClassifier,
    TableClassifier,
)
from kernelproba.kernels import RBF, Linear
from kernelproba.persistence.model_file import FORMAT, ModelFileError, load_model, read_model_file, save_model

skops = pytest.importorskip("skops.io")

X, y = load_iris(return_X_y=True)
X, y = X[::3], np.array(["setosa", "versicolor", "virginica"])[y[::3]]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", INSTANCES, ids=lambda each: str(each)[:80])
def test_every_estimator_comes_back_with_the_same_answers(estimator, path):
    rows = rbf_kernel(X) if getattr(estimator, "kernel", None) == "precomputed" else X
    from sklearn.base import clone

    model = clone(estimator).fit(rows, y)
    save_model(model, path)
    again = load_model(path)
    check_is_fitted(again)
    assert type(again) is type(model)
    assert str(again.get_params()) == str(model.get_params())
    answer = "predict_proba" if is_classifier(model) else "transform"
    np.testing.assert_array_equal(getattr(again, answer)(rows), getattr(model, answer)(rows))


@pytest.mark.parametrize(
    "model",
    [
        make_pipeline(
            StandardScaler(), KernelLogisticRegression(kernel=2.0 * RBF(1.5) + RBF(0.5) * Linear())
        ),
        GridSearchCV(KernelLogisticRegression(), {"C": [1.0, 10.0]}, cv=2),
        GridSearchCV(KernelLogisticRegression(), {"C": [1.0, 10.0]}, cv=2, scoring="neg_log_loss"),
        KernelLogisticRegression(kernel=gp.ConstantKernel(2.0) * gp.RBF(1.5) + gp.DotProduct()),
    ],
    ids=["kernel algebra in a pipeline", "search", "search by log loss", "Gaussian-process kernel"],
)
def test_models_inside_and_around_others_come_back(model, path):
    save_model(model.fit(X, y), path)
    np.testing.assert_array_equal(load_model(path).predict_proba(X), model.predict_proba(X))


LSPC = LeastSquaresProbabilisticClassifier
STATES = {
    "priors adapted": lambda: PriorShiftClassifier(KernelLogisticRegression()).fit(X, y).adapt(X[:30]),
    "priors given": lambda: PriorShiftClassifier(KernelLogisticRegression(), [0.6, 0.2, 0.2]).fit(X, y),
    "rejection": lambda: MinimumRiskClassifier(KernelLogisticRegression(), reject_cost=0.2).fit(X, y),
    "descent": lambda: LSPC(solver="sgd", n_centers=5, random_state=0).fit(X, y),
    "stream": lambda: LSPC(random_state=0).partial_fit(X, y, classes=np.unique(y)),
    "as in the paper": lambda: LSPC(centers="all", calibration=None, outside="tails").fit(X, y),
    "pairs": lambda: KernelLogisticRegression(multi_class="pairwise", pair_Cs=[0.1, 1.0]).fit(X, y),
    "linear, tuned": lambda: KernelLogisticRegressionCV(kernel="linear").fit(X, y),
    "sets": lambda: ConformalClassifier(KernelLogisticRegression(), method="cv+").fit(X, y),
    "table": lambda: TableClassifier(KernelLogisticRegression()).fit(X, y),
    "expansion": lambda: BasisLogisticRegression(
        expansion=make_pipeline(StandardScaler(), BasisExpansion("polynomial"))
    ).fit(X, y),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("state", STATES)
def test_every_state_of_a_model_comes_back(state, path):
    model = STATES[state]()
    save_model(model, path)
    np.testing.assert_array_equal(load_model(path).predict_proba(X), model.predict_proba(X))


def test_a_model_that_goes_on_learning_comes_back_with_what_it_has_learnt(path):
    for solver in ("cholesky", "sgd"):
        model = LeastSquaresProbabilisticClassifier(solver=solver, n_centers=5, random_state=0)
        model.partial_fit(X[::2], y[::2], classes=np.unique(y))
        save_model(model, path)
        again = load_model(path).partial_fit(X[1::2], y[1::2])
        np.testing.assert_array_equal(
            again.predict_proba(X), model.partial_fit(X[1::2], y[1::2]).predict_proba(X)
        )


def test_a_small_file_with_large_members_is_refused_before_it_is_inflated(valid, monkeypatch):
    with zipfile.ZipFile(valid, "a", compression=zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("padding.npy", bytes(200_000_000))
    assert valid.stat().st_size < 1_000_000
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_, **__: pytest.fail("a member was opened"))
    with pytest.raises(ModelFileError, match="refused before it was read"):
        load_model(valid)


def test_a_model_of_zeros_is_written_so_that_it_can_be_read(path):
    rows = np.zeros((120, 100_000))
    rows[np.arange(120), np.arange(120)] = 1.0
    model = KernelLogisticRegression(gamma=1.0, n_centers=None).fit(rows, np.arange(120) % 2)
    save_model(model, path)
    np.testing.assert_array_equal(load_model(path).predict_proba(rows[:5]), model.predict_proba(rows[:5]))


def test_a_model_of_sparse_rows_comes_back(path):
    from scipy.sparse import csr_array

    rows = csr_array(np.where(X > 2, X, 0))
    model = KernelLogisticRegression().fit(rows, y)
    save_model(model, path)
    np.testing.assert_array_equal(load_model(path).predict_proba(rows), model.predict_proba(rows))


def test_notes_and_version_are_kept(path):
    save_model(KernelLogisticRegression().fit(X, y), path, notes={"columns": ["a", "ü"]})
    file = read_model_file(path)
    assert file.notes == {"columns": ["a", "ü"]}
    assert file.version == kernelproba.__version__


def test_a_function_as_kernel_is_refused_when_it_is_written(path):
    model = KernelLogisticRegression(kernel=rbf_kernel).fit(X, y)
    with pytest.raises(ModelFileError, match="rbf_kernel"):
        save_model(model, path)
    assert not path.exists()


def test_a_failed_write_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    save_model(KernelLogisticRegression().fit(X, y), path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        save_model(KernelLogisticRegression(C=2).fit(X, y), path)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


# What follows plays the attacker: every payload would create the file `proof` if it were run.


class Payload:
    def __init__(self, proof):
        self.proof = proof

    def __reduce__(self):
        return open, (str(self.proof), "w")


@pytest.fixture
def proof(tmp_path):
    return tmp_path / "proof-of-code-that-ran"


def rewrite(path, change=None, members=()):
    """Change the schema of a valid model file and add members to it."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    if change is not None:
        schema = json.loads(content["schema.json"])
        content["schema.json"] = json.dumps(change(schema) or schema).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**content, **dict(members)}.items():
            archive.writestr(name, data)


def node(loader, module, name, **rest):
    return {"__class__": name, "__module__": module, "__loader__": loader, **rest}


def text(value):
    return node("JsonNode", "builtins", "str", content=json.dumps(value), is_json=True)


def call(module, name, *arguments):
    """A node that calls a function with texts when it is constructed."""
    content = node("TupleNode", "builtins", "tuple", content=[text(each) for each in arguments])
    return node("ConstructorFromReduceNode", module, name, content=content)


@pytest.fixture
def valid(path):
    save_model(KernelLogisticRegression().fit(X, y), path)
    return path


def test_a_pickle_with_our_suffix_is_refused(path, proof):
    path.write_bytes(pickle.dumps(Payload(proof)))
    with pytest.raises(ModelFileError, match="not a model file"):
        load_model(path)
    assert not proof.exists()


def test_a_zip_of_a_pickle_is_refused(path, proof):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", pickle.dumps(Payload(proof)))
        archive.writestr("data.pkl", pickle.dumps(Payload(proof)))
    with pytest.raises(ModelFileError, match="not a model file"):
        load_model(path)
    assert not proof.exists()


def test_a_pickle_in_place_of_an_array_is_refused(valid, proof):
    with zipfile.ZipFile(valid) as archive:
        arrays = [name for name in archive.namelist() if name.endswith(".npy")]
    buffer = io.BytesIO()
    np.save(buffer, np.array([Payload(proof)], dtype=object), allow_pickle=True)
    for hostile in (pickle.dumps(Payload(proof)), buffer.getvalue()):
        rewrite(valid, members=dict.fromkeys(arrays, hostile))
        with pytest.raises(ModelFileError, match="damaged"):
            load_model(valid)
    assert not proof.exists()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("os", "system"),
        ("posix", "system"),
        ("builtins", "eval"),
        ("subprocess", "Popen"),
        ("builtins", "open"),
    ],
)
def test_a_call_of_a_foreign_function_is_refused_by_name(valid, proof, module, name):
    def change(schema):
        schema["content"]["content"]["C"] = call(module, name, str(proof), "w")

    rewrite(valid, change)
    with pytest.raises(ModelFileError, match=f"{module}.{name}.*refused"):
        load_model(valid)
    assert not proof.exists()


@pytest.mark.parametrize(
    "loader", ["FunctionNode", "TypeNode", "ObjectNode", "ListNode", "DictNode", "TupleNode"]
)
def test_a_foreign_module_is_not_even_imported(valid, proof, tmp_path, monkeypatch, loader):
    (tmp_path / "hostile_module.py").write_text(f"open({str(proof)!r}, 'w')\nclass Thing: pass\n")
    monkeypatch.syspath_prepend(tmp_path)

    def change(schema):
        rest = {
            "content": {} if loader == "DictNode" else [],
            "key_types": node("ListNode", "builtins", "list", content=[]),
        }
        rest = {} if loader in ("FunctionNode", "TypeNode", "ObjectNode") else rest
        schema["content"]["content"]["C"] = node(loader, "hostile_module", "Thing", **rest)

    rewrite(valid, change)
    with pytest.raises(ModelFileError, match=r"hostile_module\.Thing"):
        load_model(valid)
    assert "hostile_module" not in sys.modules
    assert not proof.exists()


def test_a_method_of_a_trusted_type_is_refused(valid):
    def change(schema):
        return node(
            "MethodNode", schema["__module__"], schema["__class__"], content={"func": "fit", "obj": schema}
        ) | {key: schema[key] for key in ("protocol", "_skops_version")}

    rewrite(valid, change)
    with pytest.raises(ModelFileError, match=r"KernelLogisticRegression\.fit"):
        load_model(valid)


def test_a_kernel_that_calls_functions_is_refused(valid):
    def change(schema):
        schema["content"]["content"]["kernel_"] = node(
            "ObjectNode", "kernelproba.kernels.adapters", "CallableKernel"
        )

    rewrite(valid, change)
    with pytest.raises(ModelFileError, match="CallableKernel"):
        load_model(valid)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_half_a_file_is_refused(valid, share):
    content = valid.read_bytes()
    valid.write_bytes(content[: int(share * len(content))])
    with pytest.raises(ModelFileError):
        load_model(valid)


def test_a_schema_that_makes_no_sense_is_refused(valid):
    for change in (
        lambda schema: [schema],
        lambda schema: {"protocol": schema["protocol"]},
        lambda schema: schema | {"__loader__": "NoSuchNode"},
        lambda schema: schema | {"content": 3},
    ):
        save_model(KernelLogisticRegression().fit(X, y), valid)
        rewrite(valid, change)
        with pytest.raises(ModelFileError):
            load_model(valid)


def test_a_schema_that_is_too_deep_is_refused(valid):
    leaf = json.dumps(node("ListNode", "builtins", "list", content=[])).replace("[]", "[%s]")
    deep = leaf.partition("%s")[0] * 50_000 + leaf.partition("%s")[2] * 50_000
    rewrite(valid, members={"schema.json": deep})
    with pytest.raises(ModelFileError):
        load_model(valid)


def test_a_file_of_a_newer_format_says_to_upgrade(valid):
    header = {"format": FORMAT + 1, "kernelproba": "9.9", "scikit-learn": "9.9", "notes": {}}
    rewrite(valid, members={"kernelproba.json": json.dumps(header)})
    with pytest.raises(ModelFileError, match=r"kernelproba 9\.9 .*upgrade"):
        load_model(valid)


def test_a_file_of_another_version_of_this_format_opens(valid):
    header = {"format": FORMAT, "kernelproba": "0.0.1", "scikit-learn": sklearn.__version__, "notes": {}}
    rewrite(valid, members={"kernelproba.json": json.dumps(header)})
    assert read_model_file(valid).version == "0.0.1"


def test_another_version_of_scikit_learn_is_told_once(valid):
    header = {"format": FORMAT, "kernelproba": "0.0.1", "scikit-learn": "1.2.3", "notes": {}}
    old = {"kernelproba.json": json.dumps(header)}
    rewrite(valid, lambda schema: _with_version(schema, "1.2.3"), members=old)
    with pytest.warns(UserWarning, match=r"scikit-learn 1\.2\.3") as caught:
        assert load_model(valid).predict_proba(X).shape == (len(X), 3)
    assert len(caught) == 1


def _with_version(schema, version):
    """The schema as if scikit-learn of some version had made each part."""
    if isinstance(schema, dict):
        if "_sklearn_version" in schema:
            schema["_sklearn_version"] = text(version)
        for each in schema.values():
            _with_version(each, version)
    return schema


def test_a_plain_skops_file_is_not_taken_for_ours(path):
    skops.dump(KernelLogisticRegression().fit(X, y), path)
    with pytest.raises(ModelFileError, match="not a model file of kernelproba"):
        load_model(path)


def test_a_missing_file_is_a_missing_file(path):
    with pytest.raises(FileNotFoundError):
        load_model(path)


def test_a_model_written_before_a_parameter_was_there_has_its_default(tmp_path):
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]] * 5), np.array([0, 0, 1, 1] * 5)
    model = make_pipeline(StandardScaler(), KernelLogisticRegressionCV(Cs=[1.0], gammas=[1.0])).fit(X, y)
    expected = model.predict_proba(X)
    for part in (model[-1], *model[-1].estimators_):
        del part.random_state
    save_model(model, tmp_path / "model.skops")
    found = load_model(tmp_path / "model.skops")
    assert found[-1].random_state is None
    assert found[-1].estimators_[0].get_params()["random_state"] is None
    np.testing.assert_array_equal(found.predict_proba(X), expected)


def test_a_path_with_a_zero_byte_is_refused_with_its_place(tmp_path):
    path = f"{tmp_path}/a\0b.skops"
    for call in (lambda: save_model(KernelLogisticRegression(), path), lambda: load_model(path)):
        with pytest.raises(ValueError, match=rf"has a zero byte at place {len(str(tmp_path)) + 2}"):
            call()
    assert list(tmp_path.iterdir()) == []
