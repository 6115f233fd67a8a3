"""torch.nn"""
from .parameter import *
from .modules import *
