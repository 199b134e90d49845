"""Tables as nobody should send them: columns of every type and mixture, and how a second one may differ."""

# ruff: noqa: ARG005  # the entries of a table all take the same arguments

import datetime
import decimal

import numpy as np
import pandas as pd


def _objects(values):
    return pd.Series(list(values), dtype=object)


def _pick(rng, n, values):
    return _objects([values[i] for i in rng.integers(0, len(values), n)])


def _moments(rng, n, zone=None):
    return pd.to_datetime(rng.integers(0, 2**31, n), unit="s").tz_localize(zone)


MIXTURE = [1, 2.5, "1", "two", None, True, b"bytes", decimal.Decimal("1e500"), datetime.date(1, 1, 1)]
ODD_TEXTS = [
    "",
    " ",
    "\x00",
    "\x1b[31mred",
    "[bold]x[/bold]",
    "=1+1",
    "ä" * 3000,
    "\u202eabc",
    "nan",
    "1e999",
    "\ud83d",
]
ODD_DECIMALS = [decimal.Decimal("1e400"), decimal.Decimal("NaN"), decimal.Decimal(1)]
ODD_NUMBERS = ["1,5", "1.234,5", "1e5", "0x10", "١٢", "1_000", "-", "$3", "12 %", "1e-400"]
ODD_DATES = ["2024-02-30", "31/12/9999", "0001-01-01", "2024-13-01", "12:61", "2024-01-01T00:00:00+25:00"]
LEVELS = ["low", "mid", "high"]
FAR_DATES = [datetime.date(1, 1, 1), datetime.date(9999, 12, 31), datetime.datetime(2024, 2, 29, 23, 59)]

#: (rng, n) → a column.
COLUMNS = {
    "numbers": lambda rng, n: rng.normal(size=n),
    "gaps": lambda rng, n: np.where(rng.random(n) < 0.5, np.nan, rng.normal(size=n)),
    "one value": lambda rng, n: np.where(np.arange(n) == 0, 1.0, np.nan),
    "all missing": lambda rng, n: np.full(n, np.nan),
    "all None": lambda rng, n: _objects([None] * n),
    "largest": lambda rng, n: rng.choice([-1, 1], n) * np.finfo(float).max,
    "infinite": lambda rng, n: _pick(rng, n, [np.inf, -np.inf, 1.0, np.nan]).astype(float),
    "subnormal": lambda rng, n: rng.integers(-3, 4, n) * 5e-324,
    "huge whole numbers": lambda rng, n: _pick(rng, n, [10**400, -(10**30), 2**64, 1, 0]),
    "unsigned": lambda rng, n: rng.integers(2**63, 2**64 - 1, n, dtype=np.uint64),
    "decimals": lambda rng, n: _pick(rng, n, ODD_DECIMALS),
    "complex": lambda rng, n: rng.normal(size=n) + 1j,
    "nullable whole": lambda rng, n: pd.array(_pick(rng, n, [1, 2, None]), dtype="Int64"),
    "nullable truth": lambda rng, n: pd.array(_pick(rng, n, [True, False, None]), dtype="boolean"),
    "nullable text": lambda rng, n: pd.array(_pick(rng, n, ["a", "b", None]), dtype="string"),
    "nullable, all missing": lambda rng, n: pd.array([None] * n, dtype="Float64"),
    "categories": lambda rng, n: pd.Categorical(_pick(rng, n, ["a", "b", None]), ["b", "a", "never"]),
    "categories of numbers": lambda rng, n: pd.Categorical(rng.integers(0, 3, n)),
    "ordered": lambda rng, n: pd.Categorical(
        rng.choice(["low", "high"], n), ["low", "mid", "high"], ordered=True
    ),
    "intervals": lambda rng, n: pd.cut(rng.normal(size=n), [-9, -1, 0, 1, 9]),
    "no categories": lambda rng, n: pd.Categorical([None] * n, []),
    "texts": lambda rng, n: _pick(rng, n, ["red", "green", "blue"]),
    "odd texts": lambda rng, n: _pick(rng, n, ODD_TEXTS),
    "texts of numbers": lambda rng, n: _pick(rng, n, ODD_NUMBERS),
    "texts of dates": lambda rng, n: _pick(rng, n, ODD_DATES),
    "sentences": lambda rng, n: _objects([" ".join(rng.choice(["ab", "cd", "é"], 5)) for _ in range(n)]),
    "identifiers": lambda rng, n: _objects([f"id{i}" for i in range(n)]),
    "row numbers": lambda rng, n: np.arange(n),
    "moments": lambda rng, n: _moments(rng, n),
    "moments in a zone": lambda rng, n: _moments(rng, n, "Asia/Kathmandu"),
    "moments in zones": lambda rng, n: _objects(
        [*_moments(rng, n - 1, "UTC"), *_moments(rng, 1, "US/Eastern")]
    ),
    "with and without zone": lambda rng, n: _objects([*_moments(rng, n - 1), *_moments(rng, 1, "UTC")]),
    "far dates": lambda rng, n: _pick(rng, n, FAR_DATES),
    "no moments": lambda rng, n: pd.to_datetime([None] * n),
    "periods": lambda rng, n: pd.period_range("2020-01", periods=n, freq="M"),
    "durations": lambda rng, n: pd.to_timedelta(rng.integers(-(10**9), 10**9, n), unit="s"),
    "times": lambda rng, n: _pick(rng, n, [datetime.time(0), datetime.time(23, 59, 59, 999999)]),
    "bytes": lambda rng, n: _pick(rng, n, [b"a", b"\xff"]),
    "mixture": lambda rng, n: _pick(rng, n, MIXTURE),
    "lists": lambda rng, n: _objects([[1, 2]] * n),
    "mappings": lambda rng, n: _objects([{"a": 1}] * n),
    "classes": lambda rng, n: _pick(rng, n, [int, str]),
    "sparse": lambda rng, n: pd.arrays.SparseArray(np.where(rng.random(n) < 0.8, 0.0, 1.0)),
}


def _renamed(frame, names):
    return frame.set_axis(names, axis=1)


#: What may be wrong with a table as a whole: frame → frame.
SHAPES = {
    "sound": lambda frame: frame,
    "same names": lambda frame: _renamed(frame, ["same"] * frame.shape[1]),
    "numbers as names": lambda frame: _renamed(frame, range(frame.shape[1])),
    "names of many types": lambda frame: _renamed(frame, [None, 1, "a", (2, 3), np.nan][: frame.shape[1]]),
    "names in two storeys": lambda frame: _renamed(
        frame, pd.MultiIndex.from_product([["a"], range(frame.shape[1])])
    ),
    "odd names": lambda frame: _renamed(frame, ["\x1b[31m", "", " ", "[red]", "ä\x00"][: frame.shape[1]]),
    "odd index": lambda frame: frame.set_axis([7] * len(frame), axis=0),
    "no rows": lambda frame: frame.iloc[:0],
    "no columns": lambda frame: frame.iloc[:, :0],
    "objects": lambda frame: frame.astype(object),
}


def make_frame(rng, X, hostile):
    """Frame whose first column is X's, and a description; with chance `hostile` it is wrong as a whole."""
    n, kinds = len(X), list(COLUMNS)
    drawn = [kinds[j] for j in rng.integers(0, len(kinds), int(rng.integers(0, 4)))]
    columns = {"number": X[:, 0]} | {f"{j} {kind}": COLUMNS[kind](rng, n) for j, kind in enumerate(drawn)}
    if rng.random() < hostile:
        del columns["number"]
    shape = list(SHAPES)[int(rng.integers(len(SHAPES)))] if rng.random() < hostile else "sound"
    frame = pd.DataFrame(columns, index=range(n))
    return f"{', '.join(columns)}; {shape}", SHAPES[shape](frame)


def frame_queries(frame):
    """Tables to predict: (name, table, whether it must be refused)."""
    yield "first row", frame.iloc[:1], False
    yield "all missing", pd.DataFrame(None, index=range(2), columns=frame.columns, dtype=object), False
    for value in ("never seen", 1e308, -np.inf, 10**400, datetime.date(9999, 12, 31), b"\xff", True):
        filled = pd.DataFrame({j: _objects([value] * 2) for j in range(frame.shape[1])})
        yield f"nothing but {str(value)[:20]}", filled.set_axis(frame.columns, axis=1), False
    yield "objects", frame.astype(object), False
    yield "a column too many", pd.concat([frame, frame.iloc[:, 0].rename("one more")], axis=1), True
    yield "no rows", frame.iloc[:0], True
    if frame.shape[1] > 1 and not isinstance(frame.columns, pd.RangeIndex) and frame.columns.nlevels == 1:
        yield "another order", frame.iloc[:, ::-1], True
