"""What only sparse tensors have: their construction, layouts, products, and sums over the elements that are there."""
