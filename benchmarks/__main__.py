"""``make bench``: measure everything against its peers, one page of docs/results after the other."""

import subprocess
import sys

COMMANDS = [
    ["benchmarks.kernel_blocks"],
    ["benchmarks.logistic", "official"],
    ["benchmarks.logistic", "classes"],
    ["benchmarks.logistic", "coupling"],
    ["benchmarks.limit", "fits"],
    ["benchmarks.limit", "small"],
    ["benchmarks.limit", "products"],
    ["benchmarks.large", "newton"],
    ["benchmarks.large", "scale"],
    ["benchmarks.large", "peers"],
    ["benchmarks.large", "rank"],
    ["benchmarks.prediction"],
    ["benchmarks.compression", "satimage", "usps", "letter"],
    ["benchmarks.export", "equality"],
    ["benchmarks.export", "speed"],
    ["benchmarks.acting"],
    ["benchmarks.uncertainty", "coverage"],
    ["benchmarks.uncertainty", "mapie"],
    ["benchmarks.uncertainty", "intervals"],
    ["benchmarks.uncertainty", "novelty"],
    ["benchmarks.cli"],
    ["benchmarks.reasons"],
    ["benchmarks.commands"],
    ["benchmarks.serve"],
    ["benchmarks.least_squares", "all"],
    ["benchmarks.contrast", "speed"],
    ["benchmarks.contrast", "noise"],
    ["benchmarks.sparse", "speed"],
    ["benchmarks.sparse", "prediction"],
    ["benchmarks.sparse", "letter"],
    ["benchmarks.sparse", "rvm"],
    ["benchmarks.matrix"],
    ["kernelproba", "papers", "all", "-o", "docs/results"],
    ["benchmarks.papers_table"],
    ["benchmarks.readme"],
    ["benchmarks.selftuning", "loo"],
    ["benchmarks.selftuning", "cost"],
    ["benchmarks.selftuning", "posteriors"],
    ["benchmarks.selftuning", "weights"],
    ["benchmarks.selftuning", "promises"],
    ["benchmarks.selftuning", "rivals"],
    ["benchmarks.tables"],
    ["benchmarks.many_tables"],
]

for command in COMMANDS:
    print("\n== python -m", *command, flush=True)
    subprocess.run([sys.executable, "-m", *command], check=True)
