"""Warnings are errors. With other versions of other packages only those that our own code causes are."""

import os


def pytest_configure(config):
    """KERNELPROBA_WARNINGS=ours: what packages warn each other of is not our business."""
    if os.environ.get("KERNELPROBA_WARNINGS") == "ours":
        config.addinivalue_line("filterwarnings", "default")
        config.addinivalue_line("filterwarnings", "error:::kernelproba")
