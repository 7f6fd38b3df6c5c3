"""The live viewer in the browser, and playback."""
