"""torch.cuda.sparse: sparse tensor classes, none here."""
