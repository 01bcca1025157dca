"""Break-even: the four choices, their courses and their prices."""
