"""Measure problems × contestants.

    python -m benchmarks.matrix                 docs/results/matrix.{json,md} and pictures, about 20 minutes
    python -m benchmarks.matrix --quick         a trial of less than a minute, into a folder for temporary files
    python -m benchmarks.matrix page            the page and the pictures again, from matrix.json alone

An unfinished run goes on where it was stopped.
"""

# The processes of the contestants import this file: it must not import what they do not need.
if __name__ == "__main__":
    from benchmarks.matrix.command import main

    main()
