"""Files, processes, sockets and clocks: the only place that touches them."""
