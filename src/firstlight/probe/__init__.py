"""
The probe: a folder for the engine's PYTHONPATH, and how to point an engine at it.

A log says what an engine chose to print; the probe says what each of its
processes did in between. `on-path/` is not a package: it is put on PYTHONPATH of
the engine, runs in the engine's own interpreters (CPython 3.10 to 3.13), uses
the standard library alone, and writes one file of JSON lines for each process.
What the files mean is decided in `firstlight.readers.probe_events`.
"""
