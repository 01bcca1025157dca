"""
The page people look at: an experiment, or some starts, as one HTML file.

It is made from the document that `experiment` and `explain` print, and from nothing else, so
whoever has the document can make the page again. It asks nobody on a network: the charts'
library, the data and the style are in the file. Every chart has a table beside it with the
same numbers, for those who cannot see it, and every bar leads to the line that proves it.

`palette` has the colours, `rows` the numbers as rows, `charts` what is drawn of them, `words`
the sentences, `html` joins them in the template.
"""
