"""The implicit family: BDF, SDIRK and semi-implicit Euler for bodies with unit quaternions and joint rows.

One problem serves all implicit steps: given a combination y_p of earlier values and a length h, find the
configuration whose differences against y_p balance the forces there, with all rows met (`stage`)."""
