"""Models that run without Python: graphs of ONNX, for ONNX Runtime and whatever else reads them."""

from kernelproba.onnx.errors import ConversionError
from kernelproba.onnx.export import to_onnx
from kernelproba.onnx.registration import register_converters

__all__ = ["ConversionError", "register_converters", "to_onnx"]
