"""torch.utils.model_zoo: the older name of torch.hub.load_state_dict_from_url."""

from ..hub import _download_url_to_file
from ..hub import load_state_dict_from_url as load_url
from ..hub import tqdm as tqdm

__all__ = ["load_url", "_download_url_to_file"]
