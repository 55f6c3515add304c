"""One fuzz target, run by libFuzzer or over its corpus as a test."""

def fuzz_target(name, srcs, deps, corpus):
    """A program around LLVMFuzzerTestOneInput.

    With --config=fuzz it links libFuzzer, and a custom mutator may be compiled
    under METAROCE_LIBFUZZER. Without, it links replay_main.cc, and NAME_replay
    is a test that runs the corpus.

    Args:
      name: of the program, by convention WHAT_fuzz
      srcs: its sources
      deps: its libraries
      corpus: inputs to start from and to replay, at least one
    """
    native.cc_binary(
        name = name,
        testonly = True,
        srcs = srcs,
        linkopts = select({
            ":libfuzzer": ["-fsanitize=fuzzer"],
            "//conditions:default": [],
        }),
        local_defines = select({
            ":libfuzzer": ["METAROCE_LIBFUZZER"],
            "//conditions:default": [],
        }),
        tags = ["fuzz"],
        deps = deps + select({
            ":libfuzzer": [],
            "//conditions:default": [":replay_main"],
        }),
    )
    native.sh_test(
        name = name + "_replay",
        size = "small",
        srcs = ["replay.sh"],
        args = ["$(location :%s)" % name] + ["$(location %s)" % f for f in corpus],
        data = [":" + name] + corpus,
    )
