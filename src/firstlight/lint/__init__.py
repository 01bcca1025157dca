"""Settings that are right by themselves and wrong together: rules over whole sets of objects."""
