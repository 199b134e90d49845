"""A page on which to try a model: one file that predicts in the browser, without network or Python."""

from kernelproba.page.page import WrittenPage, write_model_page

__all__ = ["WrittenPage", "write_model_page"]
