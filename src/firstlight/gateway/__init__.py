"""What stands between clients and an engine that sleeps: pure, and told of everything."""
