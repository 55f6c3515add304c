"""Libraries of several source files that the compiler sees as one."""

def unity_library(name, srcs, **kwargs):
    """A cc_library whose .cc files are compiled as one translation unit.

    Most of the time of the compiler goes into headers, which are the same for
    all files of a library; and what is called across the files can be inlined.
    The price: names in unnamed namespaces must differ between the files.

    Args:
      name: of the library.
      srcs: .cc files and private headers of this package.
      **kwargs: as of cc_library.
    """
    sources = [src for src in srcs if src.endswith(".cc")]
    paths = ["%s/%s" % (native.package_name(), src) for src in sources]
    native.genrule(
        name = name + "_as_one",
        outs = [name + "_as_one.cc"],
        cmd = "printf '#include \"%s\"\\n' " + " ".join(paths) + " > $@",
    )
    native.cc_library(
        name = name,
        srcs = [name + "_as_one.cc"] + [src for src in srcs if src not in sources],
        textual_hdrs = sources,
        **kwargs
    )
