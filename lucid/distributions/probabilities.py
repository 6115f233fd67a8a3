"""Parameters that may be given as probabilities or as logits, for the distributions that have such a pair."""

from .utils import lazy_property, logits_to_probs, probs_to_logits


def one_of(probs, logits):
    """("probs", probs) or ("logits", logits), whichever was given; ValueError for both or none."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


class ProbsOrLogits:
    """Has attribute `probs` or `logits`, named by `_given`; the other is computed when it is first read."""

    _binary = True  # log(p / (1 - p)) of one probability; False: log(p) of shares along the last dimension

    @lazy_property
    def logits(self):
        """log(p / (1 - p)), or log(p) of shares."""
        return probs_to_logits(self.probs, is_binary=self._binary)

    @lazy_property
    def probs(self):
        """The probabilities."""
        return logits_to_probs(self.logits, is_binary=self._binary)

    @property
    def _param(self):
        return getattr(self, self._given)

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._param.size()

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)


class OfCategorical:
    """Has the parameters of the Categorical `_categorical`."""

    @property
    def probs(self):
        """The probabilities of the categories, along the last dimension."""
        return self._categorical.probs

    @property
    def logits(self):
        """Their logarithms."""
        return self._categorical.logits

    @property
    def _param(self):
        return self._categorical._param

    @property
    def param_shape(self):
        """The shape of the parameter that was given."""
        return self._categorical.param_shape

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)
