"""HTTP before an engine that sleeps: what comes in, what goes on, what is kept out."""
