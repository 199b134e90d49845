"""Names by which `kernelproba.tuning.kernel_logistic` still knows parts of `kernelproba.calibration`."""

from kernelproba.calibration import CHANCE_GAIN as WORTHWHILE
from kernelproba.calibration import fit_temperature, tempered

__all__ = ["WORTHWHILE", "fit_temperature", "tempered"]
