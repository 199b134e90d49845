"""Stages of a long fit, kept in a folder: a run that was killed goes on where it was.

``run.json`` says whose stages they are: the version of this package, the parameters, the rows and their
labels.  Each stage is one file beside it, written whole or not at all, without anything pickled.  A fit goes
on from what the file says, whether it has just written it or found it, so that both end alike.
"""

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from kernelproba.atomic_file import replacing
from kernelproba.caller_warning import warn_caller
from kernelproba.tuning.plain_state import StateError, read_state, state_bytes

T = TypeVar("T")

#: File that says whose stages the folder holds.
RUN = "run.json"
#: Relative difference up to which sums over all rows, which differ by store and order, are the same.
SAME_SUM = 1e-9


class Stages:
    """Stages of which nothing is kept."""

    def found(self, name: str, unpack: Callable[..., T]) -> T | None:  # noqa: ARG002
        """Result of a stage that is done, None if it is to be computed."""
        return None

    def keep(
        self,
        name: str,  # noqa: ARG002
        result: T,
        pack: Callable[[T], object],  # noqa: ARG002
        unpack: Callable[..., T],  # noqa: ARG002
        *,
        complete: bool = True,  # noqa: ARG002
    ) -> T:
        """Keep the result of a stage, and return it as a later run will find it.

        Parameters
        ----------
        name : str
            Of the stage.
        result : object
            What was computed.
        pack, unpack : callables
            Result → state of `plain_state`, and back.
        complete : bool
            Whether the result is worth keeping.
        """
        return result

    def kept(
        self,
        name: str,
        compute: Callable[[], T],
        pack: Callable[[T], object],
        unpack: Callable[..., T],
        *,
        complete: Callable[[], bool] = lambda: True,
    ) -> T:
        """Result of a stage, found or computed and kept; `complete` is asked once it is there."""
        known = self.found(name, unpack)
        if known is not None:
            return known
        result = compute()
        return self.keep(name, result, pack, unpack, complete=complete())


class Checkpoint(Stages):
    """Stages in a folder.

    Parameters
    ----------
    folder : path
        Made if it is not there; else it must be empty or hold stages of the same run.
    identity : mapping of str to JSON values
        What the result follows from, by names that a message can show.
    """

    def __init__(self, folder: str | os.PathLike[str], identity: Mapping[str, object]):
        self.folder = Path(folder)
        own = json.loads(json.dumps(dict(identity)))
        with _named(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            if (self.folder / RUN).exists():
                _refuse_others(self.folder, own)
            else:
                _refuse_files(self.folder)
                with replacing(self.folder / RUN) as file:
                    file.write_text(json.dumps(own, indent=1), encoding="utf8")

    def found(self, name: str, unpack: Callable[..., T]) -> T | None:
        """Result of a stage as its file says it, None if there is none or it is damaged."""
        state = _read(self._file(name))
        return None if state is None else unpack(state)

    def keep(
        self,
        name: str,
        result: T,
        pack: Callable[[T], object],
        unpack: Callable[..., T],
        *,
        complete: bool = True,
    ) -> T:
        """Write the result of a stage if it is complete, and return what the file says."""
        content = state_bytes(pack(result))
        if complete:
            self._write(name, content)
        return unpack(read_state(content))

    def _write(self, name: str, content: bytes) -> None:
        """Write a stage; if the disk is full, say so and go on: what was computed took longer than that."""
        try:
            with replacing(self._file(name)) as temporary:
                temporary.write_bytes(content)
        except OSError as error:
            warn_caller(
                f"checkpoint={os.fspath(self.folder)!r} cannot keep the stage {name!r} ({error.strerror}): "
                "the fit goes on, and would compute this stage again if it were stopped."
            )

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.npz"


@contextmanager
def _named(folder: Path) -> Iterator[None]:
    """Say which argument it is whose folder the system refuses."""
    try:
        yield
    except OSError as error:
        raise type(error)(
            error.errno,
            f"checkpoint cannot be kept there ({error.strerror}): give a folder that can be written",
            os.fspath(folder),
        ) from error


def _read(file: Path) -> object:
    """What a file says, None if there is none or it is damaged."""
    if not file.exists():
        return None
    try:
        return read_state(file.read_bytes())
    except IsADirectoryError as error:
        raise ValueError(
            f"checkpoint={os.fspath(file.parent)!r}: {file.name} is a folder. Delete it, or give another."
        ) from error
    except StateError:
        warn_caller(f"{os.fspath(file)!r} is damaged: this stage of the checkpoint is computed anew.")
        return None


def _refuse_others(folder: Path, own: dict[str, object]) -> None:
    """Refuse stages of another run, and say in what it differs."""
    try:
        known = json.loads((folder / RUN).read_text("utf8"))
        names = [*own, *(name for name in known if name not in own)]
        different = [name for name in names if not _same(known.get(name), own.get(name))]
    except (ValueError, AttributeError, IsADirectoryError) as error:
        raise ValueError(
            f"checkpoint={os.fspath(folder)!r}: {RUN} cannot be read. Delete the folder, or give another."
        ) from error
    if different:
        raise ValueError(
            f"checkpoint={os.fspath(folder)!r} belongs to a fit that differs in {', '.join(different[:5])}: "
            "give another folder, or delete this one to begin anew."
        )


def _same(known: object, own: object) -> bool:
    """Whether two values agree, sums up to rounding."""
    if isinstance(known, float) and isinstance(own, float):
        return math.isclose(known, own, rel_tol=SAME_SUM)
    return known == own


def _refuse_files(folder: Path) -> None:
    """Refuse a folder of other files, among which stages would be lost."""
    if any(not file.name.startswith(".") for file in folder.iterdir()):
        raise ValueError(
            f"checkpoint={os.fspath(folder)!r} holds other files: give a new or an empty folder."
        )


__all__ = ["Checkpoint", "Stages"]
