"""Two thousand hostile fits; `make hostile N=…` runs any number of others."""

import pytest
from hostile.promises import run_case

#: Seeds of one test, and tests: enough of them to be spread over processes.
PART, PARTS = 100, 20


@pytest.mark.parametrize("first", range(0, PART * PARTS, PART))
def test_hostile_fits_keep_their_promises(first):
    broken = [str(case) for case in map(run_case, range(first, first + PART)) if case.broken]
    assert not broken, "\n".join(broken)
