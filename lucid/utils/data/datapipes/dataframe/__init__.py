"""torch.utils.data.datapipes.dataframe: pipes of data frames, which lucid does not have."""
