"""torch._dynamo.utils: counters of torch's compiler, which stay empty."""

import collections

counters = collections.defaultdict(collections.Counter)
