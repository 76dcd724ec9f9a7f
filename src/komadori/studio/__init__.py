"""The studio: a page on this machine in which the methods are used by hand. The page draws; every pose is computed here."""
