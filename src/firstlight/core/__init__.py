"""Pure values and arithmetic: no clock, no file, no socket, standard library only."""
