"""The interior point of contacts: their variables, the central path, starts, linearised laws."""
