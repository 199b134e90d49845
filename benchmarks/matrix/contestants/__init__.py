"""One file per rival, and one for our own classifiers; `benchmarks.matrix.field` lists them all.

Importing one of them imports no other: the process of a contestant holds its own library only.
"""
