"""What cannot be said in ONNX."""


class ConversionError(ValueError):
    """A model, or a part of one, has no form in ONNX; the message says which, and what to do instead.

    See Also
    --------
    to_onnx : Raises it.

    Examples
    --------
    >>> from kernelproba.onnx import ConversionError
    >>> issubclass(ConversionError, ValueError)
    True
    """
