"""What every test shares."""

from hypothesis import settings

# The timeout of a test is its deadline: a single example may wait for a busy machine.
settings.register_profile("firstlight", deadline=None, print_blob=True)
settings.load_profile("firstlight")
