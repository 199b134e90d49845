"""Models on disk, opened only if all their types are trusted."""

from kernelproba.persistence.model_file import load_model, save_model

__all__ = ["load_model", "save_model"]
