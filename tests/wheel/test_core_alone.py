"""The core works without its extras, says which one is missing, and imports nothing it does not use."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parent / "core_alone.py"
CORE = ("numpy", "scipy", "sklearn", "joblib", "threadpoolctl")


def run(*arguments: str) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_core_fits_without_extras_and_names_the_one_that_is_missing():
    assert "classifiers fit without extras" in run(str(SCRIPT), "--hidden")


def test_importing_the_package_loads_only_what_scikit_learn_and_its_kind_load_themselves():
    listing = "; print(*sys.modules)"
    ours = run("-c", f"import sys; from kernelproba import *{listing}").split()
    loaded = sorted(
        {name for name in ours if name.startswith(CORE) and not name.startswith("sklearn.externals")}
    )
    theirs = run("-c", _importing(loaded) + listing).split()
    known = {"kernelproba", *sys.stdlib_module_names}
    assert [name for name in ours if name not in theirs and name.partition(".")[0] not in known] == []
    own = [name for name in ours if name.startswith("kernelproba")]
    assert len(own) < 0.3 * len(theirs)


def _importing(names: list[str]) -> str:
    """Code that imports modules of the core by themselves; extension modules come with their packages."""
    return f"import sys, importlib\n[importlib.import_module(name) for name in {names!r}]\nassert True"


def test_type_information_is_shipped():
    import kernelproba

    assert (Path(kernelproba.__file__).parent / "py.typed").exists()
