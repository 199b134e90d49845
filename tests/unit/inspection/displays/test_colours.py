import numpy as np
import pytest

from kernelproba.inspection.displays.colours import blend, class_colours, is_light


@pytest.mark.parametrize("c", [1, 2, 7, 8, 30])
def test_every_class_has_its_own_colour(c):
    colours = class_colours(c)
    assert colours.shape == (c, 3)
    assert ((colours >= 0) & (colours <= 1)).all()
    assert len(np.unique(colours, axis=0)) == c


def test_more_classes_do_not_change_the_colours_of_the_first():
    np.testing.assert_array_equal(class_colours(12)[:9], class_colours(9))


def test_a_sure_class_has_its_pure_colour_and_doubt_a_mixture():
    colours = class_colours(3)
    np.testing.assert_allclose(blend(np.eye(3), colours, strength=1), colours)
    np.testing.assert_allclose(blend(np.eye(3), colours, strength=0), 1)
    middle = blend(np.array([0.5, 0.5, 0]), colours, strength=1)
    assert (middle >= colours[:2].min(axis=0)).all()
    assert (middle <= colours[:2].max(axis=0)).all()


def test_black_is_dark_and_white_is_light():
    assert is_light(np.ones(3))
    assert not is_light(np.zeros(3))
