"""What scikit-learn routes depends on its version."""

import pytest
import sklearn
from sklearn.utils.fixes import parse_version

SCORES_ARE_ROUTED = pytest.mark.skipif(
    parse_version(sklearn.__version__) < parse_version("1.8"),
    reason="before scikit-learn 1.8 a search does not ask the steps of a pipeline what its score takes",
)
