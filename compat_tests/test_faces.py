"""The face of torch: forms of functions that torch's tables know besides the function, and names that stand alone."""

import datetime
import inspect
import pickle
import time

import opdb
import pytest
import torch
from both import as_torch, same, same_outcome
from test_op_db import call, has_values, near, results

import lucid
