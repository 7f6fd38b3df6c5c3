"""Systems as s-expressions, the form of [JM09]: reader and writer."""
