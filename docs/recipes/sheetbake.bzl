"""Sheets as outputs of a build with Bazel, a target for each job. See docs/recipes/README.md, section Bazel.

    load("//tools:sheetbake.bzl", "sheets")
    load(":sheets.bzl", "SHEETS")  # written by sheetbake check --json

    sheets(name = "sprites", list = "jobs/demo.yaml", srcs = glob(["jobs/**"]), jobs = SHEETS)
"""

# Bazel's sandbox has links in place of files, and sheetbake follows no links in assets: it gets copies. Sheets that the
# build does not know of, such as a second page of a model that has grown, fail the job.
_COMMAND = """set -eu
program=$1 work=$2 job=$3 list=$4 into=$5 sources=$6
shift 6
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/in"
xargs -d '\\n' -a "$sources" cp -L --parents -t "$work/in"
"$program" render --quiet --strict --lock off --only "$job" -o "$work/out" "$work/in/$list"
for file; do mv "$work/out/$file" "$into/$file"; done
if find "$work/out" -type f | grep .; then
    echo "$job: these files are not declared: write its row anew, with sheetbake check --json" >&2
    exit 1
fi
"""

def _sheet_impl(ctx):
    into = "/".join([part for part in [ctx.bin_dir.path, ctx.label.package, ctx.attr.folder] if part])
    inputs = depset([ctx.file.list] + ctx.files.srcs)
    sources = ctx.actions.args().add_all(inputs)
    sources.use_param_file("%s", use_always = True)
    sources.set_param_file_format("multiline")
    ctx.actions.run_shell(
        command = _COMMAND,
        arguments = [
            ctx.executable.sheetbake.path,
            ctx.label.name.replace("/", "_") + ".work",
            ctx.attr.job.replace("[", "[[]"),  # --only takes a pattern
            ctx.file.list.path,
            into,
            sources,
        ] + ctx.attr.files,
        inputs = inputs,
        tools = [ctx.executable.sheetbake],
        outputs = ctx.outputs.outs,
        execution_requirements = {"block-network": "1"},
        mnemonic = "Sheetbake",
        progress_message = "Baking " + ctx.attr.job,
    )
    return [DefaultInfo(files = depset(ctx.outputs.outs))]

_sheet = rule(
    implementation = _sheet_impl,
    attrs = {
        "job": attr.string(),
        "list": attr.label(allow_single_file = True),
        "srcs": attr.label_list(allow_files = True),
        "folder": attr.string(),
        "files": attr.string_list(),
        "outs": attr.output_list(),
        "sheetbake": attr.label(executable = True, cfg = "exec", allow_single_file = True),
    },
)

def sheets(name, list, srcs, jobs, sheetbake = "//tools:sheetbake", **more):
    """A target NAME/JOB for each job, and NAME for all of them; their files are in the folder NAME.

    Args:
      name: of the target, and of the folder.
      list: the job list.
      srcs: all files that it may read.
      jobs: the names of the files of each job.
      sheetbake: the program.
      **more: for each target, such as visibility and tags.
    """
    for job, files in jobs.items():
        _sheet(
            name = name + "/" + job,
            job = job,
            list = list,
            srcs = srcs,
            folder = name,
            files = files,
            outs = [name + "/" + file for file in files],
            sheetbake = sheetbake,
            **more
        )
    native.filegroup(name = name, srcs = [name + "/" + job for job in jobs], **more)
