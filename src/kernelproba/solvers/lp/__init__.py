"""Linear programmes: maximum contrast and the linear programming machine, through HiGHS."""
