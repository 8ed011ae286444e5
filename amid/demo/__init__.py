"""A cohort of simulated patients, made on the spot from one brain template.

The template is the MNI152 T1 average with its grey and white matter maps, which the package nilearn
carries inside its wheel: nothing is downloaded. `template` reads it, `anatomy` bends it into a
patient, `scanner` makes an image of it, `roster` says who visits which site when, and `cohort`
writes the task folder. No image of a person is in it, and every text of the task says so.
"""

from amid.demo.cohort import make
from amid.demo.roster import SMALL, WHOLE, Size

__all__ = ["SMALL", "WHOLE", "Size", "make"]
