"""A table with columns of every kind under any name, with gaps, as exported models take it."""

import numpy as np
import pandas as pd

#: Names: empty, blank, as our outputs and tensors are called, markup, quotes and line ends, long.
ODD = [
    "",
    " ",
    "label",
    "probabilities",
    "X",
    "kp_total",
    "<script>x</script>",
    "a:0",
    "ü\n\"'\\",
    "x" * 500,
]


def mixed_table(n=90, seed=0):
    """A table and its labels, one of which is markup."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame({name: rng.normal(size=n) * 10.0 ** rng.integers(-2, 5) for name in ODD})
    table["kind"] = rng.choice(["u", "v", "w é", "rare", None], n, p=[0.3, 0.3, 0.3, 0.02, 0.08])
    table["two"], table["flag"] = rng.choice(["m", "f"], n), rng.choice([True, False], n)
    moments = rng.integers(0, 900 * 24 * 60, n)
    table["date"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(moments, unit="m")
    table["size"] = pd.Categorical(rng.choice(["s", "m", "l"], n), categories=["s", "m", "l"], ordered=True)
    table["time"] = pd.to_timedelta(rng.integers(0, 86_400, n), unit="s")
    table["always"] = 1
    for k, name in enumerate(["", "date", "size", "label"]):
        table.loc[k :: 7 + k, name] = None
    y = table["X"] / table["X"].std() + (table["kind"] == "u") + (table["date"].dt.month > 6) > 0.7
    return table, np.where(y, "yes", "<no>")


def as_numbers(values):
    """A column of numbers, dates (days since 1970) or times (seconds) as doubles, NaN where it has gaps."""
    if values.dtype.kind == "M":
        values = (values - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    elif values.dtype.kind == "m":
        values = values / pd.Timedelta(seconds=1)
    return values.to_numpy(dtype=np.float64)


def as_words(values):
    """A column of texts, levels or flags as texts, empty where it has gaps."""
    return [
        "" if pd.isna(value) else str(value).lower() if value in (True, False) else str(value)
        for value in values
    ]
