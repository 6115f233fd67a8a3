"""Process groups of one process: what torch.distributed and nn.parallel stand on (torch's `_C._distributed_c10d`).

A group has one member, so every collective gives back what it was given. A second process is refused when the group is
made (`membership.init_process_group`), never later.
"""
