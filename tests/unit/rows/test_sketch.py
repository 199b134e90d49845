from dataclasses import fields, replace

import numpy as np
import scipy.sparse as sp

from kernelproba.rows.row_hash import row_keys
from kernelproba.rows.sketch import RowSketch, sketch_rows


def sample(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (n, 3)).astype(float), rng.integers(0, 2, n)
    return RowSketch(X, y, rng.random(n), rng.integers(1, 4, n), row_keys(X, y))


def test_a_sketch_keeps_the_smallest_keys_with_their_complete_weights():
    rows = sample()
    sketch = sketch_rows(rows, 10)
    np.testing.assert_array_equal(sketch.keys, np.unique(rows.keys)[:10])
    np.testing.assert_allclose(sketch.weight, [rows.weight[rows.keys == key].sum() for key in sketch.keys])
    np.testing.assert_allclose(sketch.units, [rows.units[rows.keys == key].sum() for key in sketch.keys])
    np.testing.assert_array_equal(row_keys(sketch.X, sketch.y), sketch.keys)


def test_sketches_of_blocks_merge_to_the_sketch_of_all_rows():
    rows = sample()
    whole = sketch_rows(rows, 25)
    merged = None
    for start in range(0, 400, 37):
        part = RowSketch(*(getattr(rows, f.name)[start : start + 37] for f in fields(rows)))
        part = sketch_rows(part, 25)
        merged = part if merged is None else merged.merged(part, 25)
    np.testing.assert_array_equal(merged.keys, whole.keys)
    np.testing.assert_array_equal(merged.X, whole.X)
    np.testing.assert_allclose(merged.weight, whole.weight)


def test_sparse_rows_are_kept_sparse():
    rows = sample()
    a = sketch_rows(replace(rows, X=sp.csr_array(rows.X)), 10)
    b = a.merged(a, 10)
    assert sp.issparse(b.X)
    np.testing.assert_array_equal(b.X.toarray(), sketch_rows(rows, 10).X)
    np.testing.assert_allclose(b.weight, 2 * a.weight)
