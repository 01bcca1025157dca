"""Results into words and files: text, JSON, traces. Pure: values in, text out."""
