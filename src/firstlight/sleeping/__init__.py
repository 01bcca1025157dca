"""
Sleep for engines on a CPU: a folder for the engine's PYTHONPATH, and how an engine gets it.

vLLM on a CPU answers the calls to sleep and gives no memory back. The worker in `on-path/` does
what the calls mean. Like the probe's folder, `on-path/` is not a package: it goes on the engine's
PYTHONPATH and is imported there alone, where torch and vLLM are.
"""
