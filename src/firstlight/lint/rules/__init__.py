"""One rule a file; `table` lists them."""
