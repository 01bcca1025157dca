"""One start of an engine, made to happen and observed; the world is behind `ports`."""
