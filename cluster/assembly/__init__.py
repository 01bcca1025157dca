"""
How the pieces of a Kubernetes are got: compiled, unpacked, packed into images.

`prepare.py` beside this folder is the command. What is the same for every
preparation (the lock, the progress lines, the children, the one exception)
comes from `engine/recipe`; nothing here needs a package that is not part of
Python.
"""
