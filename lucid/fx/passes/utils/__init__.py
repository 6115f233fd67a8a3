"""What passes share: matching subgraphs, fusing partitions, comparing sources."""
