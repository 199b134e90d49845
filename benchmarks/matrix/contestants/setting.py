"""The one setting of all kernel methods, declared before any was run.

The kernel is exp(−gamma ‖x − z‖²) with gamma = 1/d on standardised features.  Methods that minimise
C Σ loss + ½‖f‖² share C.  Methods with another penalty (1-norm, densities, least squares over raw
coefficients) keep the default of their class, and so do methods without a kernel.  Methods that find their
widths on the training rows are left to do so.
"""

C = 10.0
GAMMA = "auto"  # 1/d in scikit-learn and here
CENTERS = 300  # of methods that choose centres
