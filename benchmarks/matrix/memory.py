"""Resident memory of this process, from Linux's /proc; NaN elsewhere."""

import re
from pathlib import Path

STATUS = Path("/proc/self/status")


def forget_peak() -> None:
    """Let the peak start again at what is resident now."""
    if STATUS.exists():
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def resident_mb() -> float:
    return _field("VmRSS")


def peak_mb() -> float:
    return _field("VmHWM")


def _field(name: str) -> float:
    """A line of /proc/self/status, in kB there and in MB here."""
    text = STATUS.read_text(encoding="ascii", errors="replace") if STATUS.exists() else ""
    found = re.search(rf"^{name}:\s+(\d+) kB", text, flags=re.MULTILINE)
    return int(found[1]) * 1024 / 1e6 if found else float("nan")
