"""Tables in files of many formats."""
