"""torch.numa: which processors a process runs on."""
