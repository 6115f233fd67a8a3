"""torch.distributed.rendezvous: how processes find each other; one need not look."""

from .._c10d.membership import register_rendezvous_handler, rendezvous

__all__ = ["register_rendezvous_handler", "rendezvous"]
