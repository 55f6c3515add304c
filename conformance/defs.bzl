"""Conformance as a test: the vectors against a device under test (DUT)."""

def metaroce_conformance_test(
        name,
        dut,
        arguments = [],
        waivers = None,
        only = [],
        suites = [],
        levels = [],
        jobs = 1,
        timeout_ms = 0,
        data = [],
        size = "medium",
        tags = [],
        **kwargs):
    """A test that passes if `metaroce replay` succeeds with the device.

    Each vector is a test case of the test's XML. A run that no vector binds is
    a failure: such a test would say nothing.

    Args:
      name: of the test.
      dut: label of a program, or of a shared library *.so over
        conformance/abi/metaroce_dut.h.
      arguments: of the device; without blanks.
      waivers: label of a JSON file with known failures, or None. A test with
        waivers has the tag `external`: it is played each time it is asked for,
        since the day on which a waiver expires is no input that Bazel knows,
        and a PASSED from its cache would outlive it.
      only: ids of vectors; a * at the end stands for any.
      suites: names of suites (conformance/runner/suites.textproto).
      levels: of codec, block, endpoint, system.
      jobs: how many devices at the same time.
      timeout_ms: for each answer; 0 for the runner's own.
      data: what the device needs to run.
      size: as of any test.
      tags: as of any test.
      **kwargs: as of sh_test.
    """
    tool = str(Label("//tools/metaroce:metaroce"))
    manifest = str(Label("//vectors:MANIFEST"))
    args = [
        "$(rootpath %s)" % tool,
        "$(rootpath %s)" % manifest,
        "$(rootpath %s)" % dut,
        "'%s'" % " ".join(arguments),
        "--jobs %d" % jobs,
    ]
    if timeout_ms:
        args.append("--timeout %d" % timeout_ms)
    if waivers:
        args.append("--waivers $(rootpath %s)" % waivers)
    args += ["--only '%s'" % pattern for pattern in only]
    args += ["--suite %s" % suite for suite in suites]
    args += ["--level %s" % level for level in levels]
    native.sh_test(
        name = name,
        size = size,
        srcs = [str(Label("//conformance:conformance_test.sh"))],
        args = args,
        data = data + [
            dut,
            tool,
            manifest,
            str(Label("//vectors:published")),
        ] + ([waivers] if waivers else []),
        tags = tags + (["external"] if waivers else []),
        **kwargs
    )
