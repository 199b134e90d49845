"""What a search has tried, as `cv_results_` keeps it."""


class SearchResults(dict):
    """Columns of all points tried, as arrays of one length; `frame` makes a table of them."""

    def frame(self):
        """Return a DataFrame with one line per point, in the order they were tried."""
        import pandas as pd

        return pd.DataFrame(self)
