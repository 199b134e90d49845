"""The version stands in one place; files for packagers and citations agree with the project."""

import re
import tomllib
from pathlib import Path

import pytest

import kernelproba

ROOT = Path(__file__).parents[2]
FOR_DEVELOPERS = {"bench", "dev", "docs", "test"}


@pytest.fixture(scope="module")
def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["project"]


def test_the_version_is_that_of_the_package_everywhere(project):
    assert "version" in project["dynamic"]
    citation = (ROOT / "CITATION.cff").read_text("utf8")
    assert f"\nversion: {kernelproba.__version__}\n" in citation
    assert f'"KERNELPROBA_VERSION", "{kernelproba.__version__}"' in (ROOT / "conda/meta.yaml").read_text(
        "utf8"
    )
    assert f"## {kernelproba.__version__}" in (ROOT / "CHANGELOG.md").read_text("utf8")


def test_the_conda_recipe_asks_for_what_the_project_asks_for(project):
    recipe = (ROOT / "conda/meta.yaml").read_text("utf8")
    for requirement in project["dependencies"]:
        name, floor = requirement.split(">=")
        assert f"- {name} >={floor}\n" in recipe


def test_every_direct_dependency_has_a_floor(project):
    extras = [item for items in project["optional-dependencies"].values() for item in items]
    wanted = [item for item in extras + project["dependencies"] if not item.startswith("kernelproba[")]
    assert [item for item in wanted if not re.search(r">=\d", item)] == []


def test_no_file_of_the_repository_names_a_machine():
    texts = [path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts]
    texts += [ROOT / "README.md", ROOT / "pyproject.toml", *(ROOT / ".github").rglob("*.*")]
    found = [path for path in texts if re.search(r"/(?:home|root|work)/\w", path.read_text("utf8"))]
    assert found == []


def test_the_workflow_calls_targets_of_the_makefile_and_tests_that_are_there():
    makefile, workflow = (
        (ROOT / name).read_text("utf8") for name in ("Makefile", ".github/workflows/ci.yml")
    )
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, flags=re.MULTILINE)[1].split())
    ends = re.findall(r"versions: (\w+)", workflow)
    called = set(re.findall(r"make ([\w-]*\w)(?:\s|$)", workflow)) | {f"test-{end}" for end in ends}
    assert called <= targets
    assert {"check", "docs", "test-oldest", "test-newest", "test-wheel"} <= called
    assert [path for path in re.findall(r"\btests/[\w/]+", workflow) if not (ROOT / path).exists()] == []


def test_the_workflow_runs_every_python_that_the_project_names(project):
    named = {item.rpartition(" ")[2] for item in project["classifiers"] if "Python :: 3." in item}
    workflow = (ROOT / ".github/workflows/ci.yml").read_text("utf8")
    assert set(re.findall(r'python: "(3\.\d+)"', workflow)) == named


def test_the_conda_recipe_constrains_every_extra_as_the_project_does(project):
    recipe = (ROOT / "conda/meta.yaml").read_text("utf8")
    constrained = re.findall(
        r"- ([\w-]+?)(?:-base|-core)? >=([\d.]+)", recipe.partition("run_constrained")[2]
    )
    extras = project["optional-dependencies"].items()
    asked = {item for extra, items in extras if extra not in FOR_DEVELOPERS for item in items if ">=" in item}
    floors = {re.match(r"[\w-]+", item)[0]: item.partition(">=")[2] for item in asked}
    assert dict(constrained) == floors | {"distributed": floors["dask"]}
