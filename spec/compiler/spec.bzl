"""Compiles chapters into C++ tables."""

_COMPILER = "//spec/compiler:spec_compiler"

def spec_tables(name, chapters, root = "", **kwargs):
    """A cc_library with the headers "spec/tables.h" and "spec/layouts.h".

    Args:
      name: of the library.
      chapters: the chapters, in reading order.
      root: folder below this package that stands for the workspace root in the include paths. Empty
        only in the package //spec, whose own path already is the include path. A binary must link
        one such library only: all have the same names.
      **kwargs: for the cc_library.
    """
    prefix = root + "/spec/" if root else ""
    files = ["tables.h", "tables.cc", "layouts.h", "layouts.cc"]
    native.genrule(
        name = name + "_cpp",
        srcs = chapters,
        outs = [prefix + f for f in files],
        cmd = "$(location %s) --backend=cpp --out=$(RULEDIR)/%s $(SRCS)" % (_COMPILER, prefix),
        tools = [_COMPILER],
        testonly = kwargs.get("testonly", False),
    )
    native.cc_library(
        name = name,
        srcs = [prefix + "tables.cc", prefix + "layouts.cc"],
        hdrs = [prefix + "tables.h", prefix + "layouts.h"],
        includes = [root] if root else [],
        deps = ["//spec/compiler/runtime"],
        **kwargs
    )

def spec_file(name, chapters, backend, out, **kwargs):
    """The single file that a backend makes of the chapters."""
    native.genrule(
        name = name,
        srcs = chapters,
        outs = [out],
        cmd = "$(location %s) --backend=%s --out=$(RULEDIR) $(SRCS)" % (_COMPILER, backend),
        tools = [_COMPILER],
        **kwargs
    )
