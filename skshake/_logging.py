"""logger: where this package says what it does, for whoever listens.

In: nothing. Out: the logger "skshake". It has no handlers and no level of its own:
these are the application's.
"""

import logging

logger = logging.getLogger("skshake")
