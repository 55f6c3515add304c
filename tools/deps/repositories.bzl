"""All external repositories: nothing here opens a network connection."""

load(":debian.bzl", "debian_abseil", "debian_library", "debian_protobuf")

# Bazel names these whether or not they are used; unless they are defined first,
# it tries to download them.
_IMPLICIT = ["rules_cc", "rules_java", "rules_proto", "remote_coverage_tools"]

def dependencies():
    for name in _IMPLICIT:
        native.local_repository(name = name, path = "tools/deps/bazel/" + name)

    debian_abseil(
        name = "com_google_absl",
        targets = [
            "algorithm:container",
            "base:core_headers",
            "container:btree",
            "container:flat_hash_map",
            "container:flat_hash_set",
            "container:inlined_vector",
            "random:random",
            "status:status",
            "status:statusor",
            "strings:str_format",
            "strings:strings",
            "time:time",
            "types:optional",
            "types:span",
        ],
    )

    debian_protobuf(name = "com_google_protobuf")

    debian_library(
        name = "com_google_googletest",
        headers = ["gtest", "gmock"],
        archives = {
            "gtest": "gtest gmock",
            "gtest_main": "gmock_main",
        },
        deps = {"gtest_main": ":gtest"},
        linkopts = ["-pthread"],
    )

    debian_library(
        name = "rapidcheck",
        headers = ["rapidcheck", "rapidcheck.h"],
        archives = {
            "rapidcheck": "rapidcheck",
            "rapidcheck_gtest": "",
        },
        deps = {"rapidcheck_gtest": ":rapidcheck @com_google_googletest//:gtest"},
    )

    debian_library(
        name = "cli11",
        headers = ["CLI"],
        archives = {"cli11": ""},
    )

    debian_library(
        name = "com_github_google_benchmark",
        headers = ["benchmark"],
        archives = {
            "benchmark": "benchmark",
            "benchmark_main": "benchmark_main",
        },
        deps = {"benchmark_main": ":benchmark"},
        linkopts = ["-pthread"],
    )

    debian_library(
        name = "isal",
        headers = ["isa-l", "isa-l.h"],
        archives = {"isal": "isal"},
    )

    debian_library(
        name = "zlib",
        headers = ["zlib.h", "zconf.h"],
        archives = {"zlib": "z"},
    )

    debian_library(
        name = "cmark_gfm",
        headers = [
            "cmark-gfm",
            "cmark-gfm.h",
            "cmark-gfm_export.h",
            "cmark-gfm_version.h",
            "cmark-gfm-core-extensions.h",
            "cmark-gfm-extension_api.h",
            "cmark-gfm-extensions_export.h",
        ],
        archives = {"cmark_gfm": "cmark-gfm-extensions cmark-gfm"},
    )
