"""
The door through which the probe enters an engine's interpreters.

`site` imports `sitecustomize` at the start of each interpreter, and a folder on
PYTHONPATH comes before all others, so this file runs first and in every child
process too: nothing has to be installed beside the engine. With the variable
FIRSTLIGHT_PROBE_DIR unset it does nothing.

A `sitecustomize` that this one hides is found and executed as if this one were
not there, with the very errors it would have had. The file holds no syntax that
an old interpreter cannot read: a build tool of another Python inherits
PYTHONPATH as well, and must not notice.
"""

# ruff: noqa: PTH100, PTH120  (pathlib: heavy to import this early)

import os
import sys

if os.environ.get("FIRSTLIGHT_PROBE_DIR") and sys.version_info >= (3, 10):
    try:
        import _firstlight_start

        _firstlight_start.install(os.environ["FIRSTLIGHT_PROBE_DIR"])
    except Exception:
        pass

_hidden = None
try:
    import _frozen_importlib
    import _frozen_importlib_external

    _here = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))
    _hidden = _frozen_importlib_external.PathFinder.find_spec(
        "sitecustomize", [_p for _p in sys.path if os.path.realpath(_p or os.curdir) != _here]
    )
except Exception:
    pass
if _hidden is not None and _hidden.loader is not None:
    _theirs = _frozen_importlib.module_from_spec(_hidden)
    sys.modules["sitecustomize"] = _theirs
    _hidden.loader.exec_module(_theirs)
