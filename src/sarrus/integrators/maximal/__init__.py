"""Methods in maximal coordinates, and what they share: row choice, near pairs, division into parts,
acceptance, failures."""
