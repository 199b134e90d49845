"""Tables as they come: numbers, categories, texts, dates and gaps, turned into what kernels can compare."""

from kernelproba.tables.classifier import TableClassifier
from kernelproba.tables.encoder import TableEncoder
from kernelproba.tables.errors import TableError
from kernelproba.tables.table_reader import read_table

__all__ = ["TableClassifier", "TableEncoder", "TableError", "read_table"]
