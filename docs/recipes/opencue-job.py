#!/usr/bin/env python3
"""One run of sheetbake as the frames of an OpenCue job. See docs/recipes/README.md, section OpenCue.

    python3 docs/recipes/opencue-job.py SHOW SHOT SHARDS OUTPUT LIST
"""
import os
import sys

import outline
import outline.cuerun
from outline.modules.shell import Shell, ShellCommand

show, shot, shards, output, path = sys.argv[1:]
sheetbake = os.environ.get("SHEETBAKE", "sheetbake")
job = outline.Outline("sheetbake", show=show, shot=shot)

# Frames are counted from 1, as shards are.
bake = Shell("bake", range=f"1-{shards}", command=[
    sheetbake, "render", "--strict", "--failed-jobs", "0", "--shard", f"#IFRAME#/{shards}", "-o", output, path])
job.add_layer(bake)

# Draws nothing that is up to date, and fails for all sheets that failed.
finish = ShellCommand("finish", command=[sheetbake, "render", "--strict", "-o", output, path])
finish.depend_all(bake)
job.add_layer(finish)

outline.cuerun.launch(job, use_pycuerun=False)
