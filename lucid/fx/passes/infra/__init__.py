"""What passes are built of: PassBase, PassManager, the partitioner."""
