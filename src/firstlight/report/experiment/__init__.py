"""An experiment in words and rows: what the page, Markdown, text and pictures say alike."""
