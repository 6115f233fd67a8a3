"""The graph of a module for TensorBoard, as torch.fx traces it."""

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.step_stats_pb2 import DeviceStepStats, StepStats
from tensorboard.compat.proto.versions_pb2 import VersionDef

from ...fx import symbolic_trace


def graph_of(model, verbose=False):
    """(GraphDef, RunMetadata) of a module; the errors of torch.fx where it cannot be traced"""
    traced = symbolic_trace(model)
    if verbose:
        print(traced.graph)

    def path(node):
        start = type(model).__name__
        return f"{start}/{str(node.target).replace('.', '/')}" if node.op == "call_module" else f"{start}/{node.name}"

    nodes = [
        NodeDef(
            name=path(node),
            op=node.op
            if node.op in ("placeholder", "output", "get_attr")
            else str(getattr(node.target, "__name__", node.target)),
            input=[path(source) for source in node.all_input_nodes],
            attr={"attr": AttrValue(s=str(node.target).encode())},
        )
        for node in traced.graph.nodes
    ]
    stats = RunMetadata(step_stats=StepStats(dev_stats=[DeviceStepStats(device="/device:CPU:0")]))
    return GraphDef(node=nodes, versions=VersionDef(producer=22)), stats
