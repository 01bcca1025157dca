"""One change at a time: what to run, in which order, and what came of it; nothing here runs."""
