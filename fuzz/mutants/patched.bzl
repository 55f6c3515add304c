"""A folder of generated sources, of which a cc_library can be made."""

def _patched_tree(ctx):
    out = ctx.actions.declare_directory(ctx.label.name)
    options = ["--devices"] if ctx.attr.devices else []
    options += ["--tests"] if ctx.attr.tests else []
    ctx.actions.run(
        executable = ctx.executable.tool,
        arguments = [out.path, ctx.attr.prefix] + options + [f.path for f in ctx.files.srcs],
        inputs = ctx.files.srcs + ctx.files.tool_data,
        outputs = [out],
        mnemonic = "PatchModel",
    )
    return [DefaultInfo(files = depset([out]))]

patched_tree = rule(
    implementation = _patched_tree,
    attrs = {
        "srcs": attr.label_list(allow_files = [".h", ".cc"]),
        "devices": attr.bool(),  # the list of devices.py, else those of mutants.py and negations.py
        "prefix": attr.string(default = "fuzz/mutants/patched"),  # the folder in an include
        "tests": attr.bool(),  # the tests of the copied sources, and nothing else
        "tool": attr.label(allow_single_file = True, executable = True, cfg = "exec"),
        "tool_data": attr.label_list(allow_files = True),
    },
)
