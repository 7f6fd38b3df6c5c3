"""Columns of the four arrays that carry a mechanism through the kernels, shared by the model (which fills
them) and the kernels.  Declared once, as tables: name, width, unit, what it is, who writes it, who reads it.

topo   integers: a header (row 0), then tables (`topology`, `terms`)
par    constants: one line per link, then further joints, drives, elements, curves (`parameters`)
state  what a step maps: bodies, border rows, joints, contacts (`state`, `features`)
work   what a step needs in between (`work`, `contacts`)

The constants are plain integers, the places of the columns.  `declare.tables` holds the declarations: a page
of the documentation, "Arrays of the kernels", is made from them, and a test checks them."""

from sarrus.layout.contacts import *
from sarrus.layout.features import *
from sarrus.layout.limits import *
from sarrus.layout.parameters import *
from sarrus.layout.sizes import *
from sarrus.layout.state import *
from sarrus.layout.terms import *
from sarrus.layout.topology import *
from sarrus.layout.work import *
