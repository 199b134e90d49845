"""Tables: read, described, prepared and written."""
