"""Names of the steps of a fit that carry what is known as a step begins, for people who wait."""


class FitStep(str):
    """Name of a step; callbacks find it as ``context.task_name``.

    Parameters
    ----------
    name : str
        What the text is equal to.
    n_rows : int, optional
        Rows that the step looks at.
    best_score : float, optional
        Best score so far, the larger the better.
    rows_per_second : float, optional
        Of the step before.
    seconds_left : float, optional
        Estimate of what remains of the whole fit.
    has_parts : bool, default=False
        Whether the step has steps of its own.

    See Also
    --------
    kernelproba.KernelLogisticRegressionCV : Tells its steps by such names.
    """

    n_rows: int | None
    best_score: float | None
    rows_per_second: float | None
    seconds_left: float | None
    has_parts: bool

    def __new__(
        cls,
        name: str,
        *,
        n_rows: int | None = None,
        best_score: float | None = None,
        rows_per_second: float | None = None,
        seconds_left: float | None = None,
        has_parts: bool = False,
    ) -> "FitStep":
        """Make the name."""
        step = super().__new__(cls, name)
        step.n_rows, step.best_score, step.rows_per_second = n_rows, best_score, rows_per_second
        step.seconds_left, step.has_parts = seconds_left, has_parts
        return step

    @property
    def text(self) -> str:
        """Everything that is known, in a line."""
        parts: list[str] = [str(self)]
        if self.n_rows is not None:
            parts.append(f"{self.n_rows:,} rows")
        if self.best_score is not None:
            parts.append(f"best score {self.best_score:.4f}")
        if self.rows_per_second is not None:
            parts.append(f"{self.rows_per_second:,.0f} rows/s")
        if self.seconds_left is not None:
            parts.append(f"about {duration(self.seconds_left)} left")
        return ", ".join(parts)


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, whichever says it in few digits."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


__all__ = ["FitStep", "duration"]
