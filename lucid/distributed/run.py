"""torch.distributed.run (torchrun): starts several processes, which lucid does not do."""

from .._base.refused import refuse

globals().update(
    refuse(
        "torch.distributed.run",
        "run main run_script_path config_from_args parse_args get_args_parser elastic_launch LaunchConfig",
        "launcher of several processes",
    )
)

if __name__ == "__main__":
    main()  # noqa: F821
