"""
How the real engine is made: where it lies, who may build it, and the steps.

`prepare.py` beside this folder is the command. Nothing here needs a package
that is not part of Python.
"""
