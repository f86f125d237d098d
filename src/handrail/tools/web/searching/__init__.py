"""Who searches the web: one small module for each service, behind one small interface."""
