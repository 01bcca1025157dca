"""
vLLM's development mode, which opens the calls that put an engine to sleep and wake it.
"""

from firstlight.lint.engine import Engine

DEV_MODE = "VLLM_SERVER_DEV_MODE"


def is_in_dev_mode(engine: Engine) -> bool:
    """Whether it is known to be on: vLLM reads a number, and ends at what is none."""
    try:
        return bool(int(engine.variable(DEV_MODE).value or "0"))
    except ValueError:
        return False
