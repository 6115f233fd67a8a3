"""torch._dynamo.utils: counters of what the compiler did."""

import collections

counters = collections.defaultdict(collections.Counter)
