"""firstlight: where every second of a vLLM start goes."""

__version__ = "0.1.0"
