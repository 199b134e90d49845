"""How long ``from kernelproba import *`` takes against importing what it uses of scikit-learn and SciPy.

    python -m benchmarks.import_time

prints processor seconds, medians of interleaved runs in processes of their own.
"""

import os
import resource
import statistics
import subprocess
import sys

RUNS = 7
#: Above this ratio the exit code is 1.
MOST = 1.3
#: Compiled modules are kept, as where a package is installed.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
#: All public names: the package itself imports nothing before it is asked for it.
OURS = "from kernelproba import *"
CORE = ("numpy", "scipy", "sklearn", "joblib", "threadpoolctl")


def used() -> list[str]:
    """Modules of the core's dependencies that our import loads, in that order."""
    code = f"{OURS}; import sys; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return [name for name in names.stdout.split() if name.split(".")[0] in CORE]


def seconds(code: str) -> float:
    """Processor seconds of a process that runs this."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, env=ENVIRONMENT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)


def main() -> None:
    theirs = f"import importlib\nfor name in {used()!r}: importlib.import_module(name)"
    pairs = [(seconds(OURS), seconds(theirs)) for _ in range(RUNS + 1)][1:]
    ours, base = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"{OURS} {ours:.2f} s, what it uses {base:.2f} s, ratio {ours / base:.2f}")
    sys.exit(ours > MOST * base)


if __name__ == "__main__":
    main()
