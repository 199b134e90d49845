"""Results for people: summarise → rows → render."""
