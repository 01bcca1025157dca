"""The objects of the first step, one file a kind; `whole` puts them in order."""
