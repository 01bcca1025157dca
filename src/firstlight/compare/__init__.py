"""
Two sets of rounds: may they be compared, what differs, and how sure that is.

A claim that a start got faster is proven here or refused. `sets` says which rounds count,
`comparability` whether two sets differ in nothing but what was changed, `statistics` how far
apart they lie, `verdict` what may be said of it, `reconcile` where the difference of two kinds
of start is. `document` is what of it a program reads. Nothing here reads a file.
"""
