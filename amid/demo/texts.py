"""The words of the demo's task folder: `task.toml` and README."""

from typing import Literal

from amid.demo.roster import SITES, Size, visits
from amid.demo.scanner import SCANNERS

Division = Literal["holdout", "by-site", "given"]
"""How development patients are divided: drawn, one site left out at a time, or as a file says."""

SPLITS = "splits_final.json"

_VALIDATION = {
    "holdout": 'scheme = "holdout"\nfraction = 0.3',
    "by-site": 'scheme = "leave-one-out"\nby = "site"',
    "given": f'scheme = "file"\nfile = "{SPLITS}"',
}

_TASK = """\
# SIMULATED: every image is made from one brain template (MNI152); no patient stands behind it.
# See README.md.

[task]
id = "simulated-brain"
kind = "segmentation"
dimensions = 3
modality = ["simulated MR (one template, no patients)"]

[data]
cases = "cases.csv"
images = ["image"]
label = "label"
inputs = ["image"]
group = "patient"

[labels]
background = 0
grey = 1
white = 2

[metric]
primary = "dice"
direction = "maximize"
average = "macro-foreground-per-case"
empty = "one-if-both-empty"
also = ["nsd@1mm"]

[validation]
{validation}
inner = 0.1
looks = 12
stratify = ["site"]
report_by = ["site"]

[submission]
index = "submission.csv"
columns = {{ case = "image_id", path = "predicted_mask_path" }}
path = "predictions/{{case}}.nii.gz"
geometry = "as-image"

[budget]
wall = "4m"

[sharing]
agent_sees = "phantom"
images_may_be_shared = true
"""

_README = """\
# simulated-brain

**Simulated.** Grey and white matter in T1-weighted MR of made-up patients: all {cases} images are
made from **one brain template** by `amid.demo` from the seed {seed}. No image of a person is here,
and a score on this task says nothing about images of persons. It shows how a run works.

## How a patient is made

The MNI152 T1 template, with its grey and white matter maps, is turned, scaled, shifted and deformed
smoothly, differently for each patient. Labels are what the deformed maps hold most of: background
(with all fluid), grey (1), white (2). The second visit of a patient has the same deformation and a
small change. For each visit the image then gets a gain, a smooth bias field and noise of its own.
Volumes have {grid} voxels of {spacing:g} mm. The template shows no skull, so the images do not.

Three simulated sites, each with a scanner of its own:

{sites}

## Who is here

| | patients | cases |
|---|---|---|
{counts}

Patients take the sites in turn; some of `train` have two visits, which are never parted. Dates are
made up.

## Origin and licence

The template is the symmetric ICBM 2009a nonlinear average in the form that the Python package
nilearn carries; it is described in

- V. S. Fonov et al., *Unbiased average age-appropriate atlases for pediatric studies*, NeuroImage
  54, 313–327 (2011).

> Copyright (C) 1993–2004 Louis Collins, McConnell Brain Imaging Centre, Montreal Neurological
> Institute, McGill University. Permission to use, copy, modify, and distribute this software and
> its documentation for any purpose and without fee is hereby granted, provided that the above
> copyright notice appear in all copies. The authors and McGill University make no representations
> about the suitability of this software for any purpose. It is provided "as is" without express or
> implied warranty.
"""


def task(division: Division) -> str:
    """Return `task.toml`."""
    return _TASK.format(validation=_VALIDATION[division])


def readme(size: Size, seed: int) -> str:
    """Return the README of the task folder."""
    everyone = list(visits(size))
    sites = [
        "| site | white matter about | contrast (power) | bias field | noise |",
        "|---|---|---|---|---|",
    ]
    sites += [
        f"| {name} | {scanner.gain * 0.84**scanner.power:.0f} | {scanner.power:g} "
        f"| {scanner.bias / 3:.0%} | {scanner.noise / 0.84**scanner.power:.0%} |"
        for name, scanner in zip(SITES, SCANNERS, strict=True)
    ]
    counts = []
    for split, patients in (("train", size.learn), ("test", size.test)):
        cases = sum(visit.split == split for visit in everyone)
        counts.append(f"| `{split}` | {patients} | {cases} |")

    return _README.format(
        cases=len(everyone),
        seed=seed,
        grid=" × ".join(map(str, size.voxels)),
        spacing=size.spacing,
        sites="\n".join(sites),
        counts="\n".join(counts),
    )


__all__ = ["SPLITS", "Division", "readme", "task"]
