"""An aspect that runs clang-tidy on every C++ source of the project.

    bazel build --config=clang --aspects=//tools/lint:clang_tidy.bzl%clang_tidy \
        --output_groups=clang_tidy //...

One action a source, with the very flags and headers it is compiled with (generated
headers too), so that only what changed is looked at again. What it checks stands in
.clang-tidy; every finding fails the action.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _compile_flags(ctx, context):
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = toolchain,
        user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts +
                             getattr(ctx.rule.attr, "copts", []),
        include_directories = context.includes,
        quote_include_directories = context.quote_includes,
        system_include_directories = context.system_includes,
        preprocessor_defines = depset(transitive = [context.defines, context.local_defines]),
    )
    return toolchain, cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = CPP_COMPILE_ACTION_NAME,
        variables = variables,
    )

def _clang_tidy_impl(target, ctx):
    if CcInfo not in target or not hasattr(ctx.rule.attr, "srcs"):
        return []
    if target.label.workspace_root or "no-clang-tidy" in ctx.rule.attr.tags:
        return []
    sources = [
        file
        for target_source in ctx.rule.attr.srcs
        for file in target_source.files.to_list()
        if file.is_source and file.extension == "cc"
    ]
    context = target[CcInfo].compilation_context
    toolchain, flags = _compile_flags(ctx, context)
    reports = []
    for source in sources:
        report = ctx.actions.declare_file("%s.%s.clang-tidy" % (ctx.rule.attr.name, source.basename))
        ctx.actions.run_shell(
            inputs = depset(
                [ctx.file._config],
                transitive = [context.headers, toolchain.all_files] +
                             [s.files for s in ctx.rule.attr.srcs],
            ),
            outputs = [report],
            # Silent when all is well; else without the sandbox's path before each name.
            command = """"$@" >"$OUT" 2>&1 || { sed "s#$PWD/\\(\\./\\)\\?##" "$OUT"; exit 1; }""",
            env = {"OUT": report.path},
            arguments = [
                "clang-tidy-14",
                "--quiet",
                "--config-file=" + ctx.file._config.path,
                source.path,
                "--",
            ] + [flag for flag in flags if flag != "-Werror"],
            mnemonic = "ClangTidy",
            progress_message = "Running clang-tidy on " + source.short_path,
        )
        reports.append(report)
    return [OutputGroupInfo(clang_tidy = depset(reports))]

clang_tidy = aspect(
    implementation = _clang_tidy_impl,
    attrs = {
        "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
        "_config": attr.label(default = "//:.clang-tidy", allow_single_file = True),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
