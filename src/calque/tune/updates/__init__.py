"""How weights move in a direction: a file per rule; any loss may give the direction."""
