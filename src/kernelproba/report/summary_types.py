"""The summary behind every report, as `kernelproba.report.summarise` returns it and the renderings read it.

All values are plain, ready for ``json.dump``; what they mean is in ``docs/guide/report.md``.
"""

from typing import Any, NotRequired, TypeAlias, TypedDict

#: A score and the ends of its interval (estimate, low, high), where there is one.
ScoreEnds: TypeAlias = dict[str, float]

#: One method of a comparison: its name, scores, their ends, times and problem.
MethodScores: TypeAlias = dict[str, Any]


class CalibrationError(TypedDict):
    """One kind of calibration error, with the ends of its interval where there is one."""

    kind: str
    debiased: bool
    estimate: float
    low: NotRequired[float]
    high: NotRequired[float]


class Reliability(TypedDict):
    """Bins of a reliability diagram, and their calibration error; `name` is that of a class."""

    name: NotRequired[str]
    ece: float
    bins: dict[str, list[float]]


class CalibrationSummary(TypedDict):
    """How far probabilities can be taken at their word."""

    top_label: Reliability
    classes: list[Reliability]
    by_chance: dict[str, float]
    errors: list[CalibrationError]
    brier_parts: dict[str, ScoreEnds]


class ClassScores(TypedDict):
    """How well the rows of one class are found; None where a share is one of nothing."""

    name: str
    rows: int
    predicted: int
    recall: float | None
    precision: float | None
    auc: float | None


class ClassCount(TypedDict):
    """Rows of one class."""

    name: str
    rows: int
    training_rows: int | None


class ColumnSummary(TypedDict):
    """What one column holds: a number has ends and a median, a date ends, anything else common values."""

    name: str
    kind: str
    missing: int
    distinct: int
    first: NotRequired[str]
    last: NotRequired[str]
    common: NotRequired[list[str]]
    low: NotRequired[float]
    median: NotRequired[float]
    high: NotRequired[float]


class DataSummary(TypedDict):
    """Rows, columns and classes."""

    rows: int
    training_rows: int | None
    seen_rows: NotRequired[int | None]
    n_columns: int
    columns_of: str
    columns: list[ColumnSummary]
    classes: list[ClassCount]


class ModelSummary(TypedDict):
    """The classifier, what was set and what it has chosen."""

    name: str
    description: str
    settings: dict[str, str]
    chosen: dict[str, object]


class ColumnImportance(TypedDict):
    """How much the log loss rises when a column is shuffled, and whether that is clearly above zero."""

    column: str
    importance: float
    low: float
    high: float
    clear: bool


class DependenceCurve(TypedDict):
    """Mean probability of one class, `code` its number, for each value of a column, with intervals."""

    name: str
    code: int
    probability: list[float]
    low: list[float]
    high: list[float]


class ColumnDependence(TypedDict):
    """How probabilities go with a column: its values as texts, and as places unless they are levels."""

    column: str
    values: list[str]
    at: list[float] | None
    curves: list[DependenceCurve]


class ColumnsSummary(TypedDict):
    """Which columns matter and how; of what cannot be asked so, only the `reason`."""

    reason: NotRequired[str]
    rows: int
    importance: list[ColumnImportance]
    dependence: list[ColumnDependence]
    interval: str


class ErrorSlice(TypedDict):
    """Rows that share a value or a range of a column, and how well they are predicted."""

    column: str
    slice: str
    rows: int
    error: float
    log_loss: float
    low: float
    high: float
    elsewhere: float
    frequencies: float
    expected: float
    p_value: float
    p_unexpected: float


class SlicesSummary(TypedDict):
    """Slices that are harder than the other rows, and how many were looked at."""

    looked_at: int
    harder: list[ErrorSlice]
    unexpected: list[ErrorSlice]


class Confusion(TypedDict):
    """Rows by true class (first index) and predicted class."""

    classes: list[str]
    counts: list[list[int]]


class ConfusedPair(TypedDict):
    """Rows of one class that were taken for another."""

    true: str
    predicted: str
    rows: int
    share: float


class RowReason(TypedDict):
    """A column that moves the log-odds of a row, and how far."""

    column: str
    contribution: float


class FlaggedRow(TypedDict):
    """A row to look at."""

    row: object
    predicted: str
    predicted_probability: float
    label: NotRequired[str]
    probability: NotRequired[float]
    runner_up: NotRequired[str]
    runner_up_probability: NotRequired[float]
    novelty: NotRequired[float]
    p_value: NotRequired[float]
    values: dict[str, str]
    reasons: NotRequired[list[RowReason]]


class LeftOutColumn(TypedDict):
    """A column that says nothing of other rows, or nothing at all, and why."""

    name: str
    why: str


class Shift(TypedDict):
    """A column whose held-out values are not those of training, and their share."""

    name: str
    share: float


class DefectSummary(TypedDict):
    """What may be wrong with the rows or with columns."""

    rows: int
    seen_rows: int | None
    slices: SlicesSummary
    drift: list[Shift]
    leaks: list[str]
    identifiers: list[LeftOutColumn]
    left_out: list[LeftOutColumn]


class ConfidenceSummary(TypedDict):
    """Right and wrong rows by the probability of the predicted class, in bins."""

    edges: list[float]
    right: list[int]
    wrong: list[int]


class SetsSummary(TypedDict):
    """Sets of labels at several levels, one entry per level, and the rows that they rest on."""

    confidence: list[float]
    coverage: list[float]
    std_error: list[float]
    mean_size: list[float]
    single: list[float]
    known_rows: int


class NoveltySummary(TypedDict):
    """Rows unlike those of training."""

    threshold: float
    share: float
    rows: list[FlaggedRow]


class RivalsSummary(TypedDict):
    """A comparison of methods by folds; a method has its scores, their ends, times and problem by name."""

    methods: list[MethodScores]
    rows: int
    folds: int


class AskedSummary(TypedDict):
    """What only a model can tell, beyond its predictions."""

    columns: ColumnsSummary
    map: dict[str, object]
    sets: SetsSummary | None
    novelty: NoveltySummary | None
    doubtful_rows: list[FlaggedRow]
    doubted_labels: list[FlaggedRow]
    doubted_training_labels: list[FlaggedRow] | None


class Opponent(TypedDict):
    """Another model on the same rows: its scores, and how much larger those of the reported one are."""

    name: str
    scores: dict[str, ScoreEnds]
    differences: dict[str, ScoreEnds]


class Summary(TypedDict):
    """All that a report says."""

    format: int
    made: str
    target: str | None
    model: ModelSummary
    data: DataSummary
    scores: dict[str, ScoreEnds]
    baseline: dict[str, float]
    baseline_counted: str
    classes: list[ClassScores]
    curves: list[dict[str, object]]
    columns: ColumnsSummary
    slices: SlicesSummary
    drift: list[Shift]
    leaks: list[str]
    identifiers: list[LeftOutColumn]
    left_out: list[LeftOutColumn]
    rivals: RivalsSummary | None
    against: list[Opponent]
    calibration: CalibrationSummary
    confusion: Confusion
    confidence: ConfidenceSummary
    map: dict[str, object]
    sets: SetsSummary | None
    novelty: NoveltySummary | None
    row_numbers: str
    doubtful_rows: list[FlaggedRow]
    doubted_labels: list[FlaggedRow]
    doubted_training_labels: list[FlaggedRow] | None
    timings: dict[str, float]
    command: str | None
    versions: dict[str, str]
    findings: NotRequired[list[str]]
