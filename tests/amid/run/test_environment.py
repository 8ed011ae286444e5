"""What is recorded of the machine is looked up, not assumed."""

from pathlib import Path

from amid.run.environment import accelerators


def test_without_a_driver_there_is_no_accelerator(tmp_path: Path) -> None:
    assert accelerators(tmp_path) is None


def test_accelerators_are_counted_by_model(tmp_path: Path) -> None:
    """Given drivers that say what they drive, then model and number are recorded."""
    for bus in ("0000:01:00.0", "0000:02:00.0"):
        place = tmp_path / "proc/driver/nvidia/gpus" / bus
        place.mkdir(parents=True)
        (place / "information").write_text("Model: \t\t NVIDIA H200\nIRQ: \t\t 42\n")

    bank = tmp_path / "sys/class/kfd/kfd/topology/nodes/1/mem_banks/0"
    bank.mkdir(parents=True)

    assert accelerators(tmp_path) == "1 × AMD, 2 × NVIDIA H200"
