"""
The page people look at: an experiment, or some starts, as one HTML file.

It is made from the document that `experiment` and `explain` print, and from nothing else, so
whoever has the document can make the page again. It asks nobody on a network: the charts'
library, the data and the style are in the file. Every chart has a table beside it with the
same numbers, for those who cannot see it, and every bar leads to the line that proves it.

The words, rows and colours are `report.experiment`'s, which Markdown and text share; `charts`
is what is drawn of them, `html` joins them in the template.
"""
