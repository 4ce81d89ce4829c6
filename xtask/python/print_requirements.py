"""Prints what a pyproject.toml asks for to build, run and test its package, one a line.

Usage: print_requirements.py PYPROJECT
"""

import sys
import tomllib

with open(sys.argv[1], "rb") as file:
    asked = tomllib.load(file)
project = asked["project"]
extra = project["optional-dependencies"]["test"]
print(*asked["build-system"]["requires"], *project["dependencies"], *extra, sep="\n")
