from lucid._probes.onnx import *
