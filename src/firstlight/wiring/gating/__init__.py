"""A gateway put together: the door, the engine behind it, and the one who decides between them."""
