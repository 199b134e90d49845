"""Why a model says what it says: training rows for and against, rows whose label is improbable."""
