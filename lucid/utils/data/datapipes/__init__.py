"""torch.utils.data.datapipes"""

from . import dataframe as dataframe
from . import iter, map
