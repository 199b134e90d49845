"""Pictures: data first (`frame`), then `plot`."""
