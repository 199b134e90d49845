"""Columns as numbers that a kernel can compare, each kind in its own way.

Kernels see distances.  Two rows drawn at random differ by √2 in a number on its standard scale; everything
else is measured by that, so that a column counts once however many columns it becomes:

    number      one column of standard deviation 1
    category    one column per level, in which rows of different levels differ by √2
    date, text  several columns whose variances add up to that of one number (a date: of two)
    gap         one column more, in which a row with a gap and one without differ by √2
"""
