"""Half of a kernel matrix."""

import numpy as np
import pytest

from kernelproba.basis import columns as columns_module
from kernelproba.basis import half_matrix
from kernelproba.basis.columns import KernelColumns
from kernelproba.basis.half_matrix import HalfMatrix
from kernelproba.kernels import RBF


@pytest.mark.parametrize("tile", [7, 20, 64])
def test_products_are_those_of_the_whole_matrix(tile, monkeypatch):
    monkeypatch.setattr(half_matrix, "TILE_ROWS", tile)
    rng = np.random.default_rng(0)
    X, B = rng.standard_normal((40, 3)), rng.standard_normal((40, 2))
    np.testing.assert_allclose(HalfMatrix(RBF(1.0), X).product(B), RBF(1.0)(X, X) @ B)


def test_columns_screen_alike_with_half_of_the_matrix_and_without(monkeypatch):
    monkeypatch.setattr(columns_module, "HELD_ROWS", 10)
    rng = np.random.default_rng(0)
    X, G = rng.standard_normal((40, 3)), rng.standard_normal((40, 2))
    with_half = KernelColumns(RBF(1.0), X).transpose_product(G)
    monkeypatch.setattr(columns_module, "HALF_ROWS", 10)
    np.testing.assert_allclose(
        KernelColumns(RBF(1.0), X).transpose_product(G), with_half, rtol=1e-4, atol=1e-5
    )
