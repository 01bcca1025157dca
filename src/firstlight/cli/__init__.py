"""Arguments, output and exit codes: the only part that prints and exits."""
