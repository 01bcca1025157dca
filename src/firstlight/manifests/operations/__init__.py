"""What a card may do to objects, each operation as what it is in the objects at hand."""
