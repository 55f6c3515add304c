#!/usr/bin/env python3
"""What the runner says of every kind of device that misbehaves reads as the golden files have it,
and no sentence and no kind of verdict is without one.

usage: faults_test.py METAROCE MISBEHAVING_LIBRARY LIBRARY_OF_ANOTHER_VERSION [--update]
"""

import json
import os
import pathlib
import re
import sys
import tempfile

import cli_test

GOLDEN = pathlib.Path("tools/metaroce/testdata/golden/faults")
ALL_GOLDEN = [
    "tools/metaroce/testdata/golden",
    "conformance/report/testdata/golden",
    "conformance/system/testdata/golden",
]
PROGRAM = """
exit crash hang-with-child ignore-sigterm close-stdout close-stdin garbage unparsable
oversize half-length half-frame half-frame-exit twice wrong-id no-kind
hello-again error unsupported=codec-decode unsupported=no-such unsupported=constants huge-answer
wrong-reason hello-exit hello-contract hello-profile hello-many hello-hang reset-exit
reset-unsupported=codec-decode reset-unsupported=snapshot reset-reject bye-hang bye-stay
bye-reject bye-status
""".split()
LIBRARY = """
exit crash hang print status negative-status error unsupported overflow lost-count lost-event no-kind
lost-value no-end open-crash open-error open-status open-nothing reset-exit close-crash
""".split()
SOURCES = [
    "conformance/play/asking.cc",
    "conformance/play/play.cc",
    "conformance/play/match.cc",
    "conformance/play/outcome.cc",
    "conformance/dut/child_dut.cc",
    "conformance/dut/library_dut.cc",
    "conformance/dut/patient_dut.cc",
    "conformance/runner/session.cc",
    "conformance/runner/worker.cc",
    "conformance/system/system.cc",
    "conformance/system/witness.cc",
]
# Texts that no device and no vector brings about in a test, each with why.
NOT_SHOWN = {
    "A pipe cannot be made": "the machine is at its limits",
    "No command is given that starts the DUT.": "the command line asks for one before",
    "No library is named that is the DUT.": "the command line asks for one before",
    "The DUT does not run.": "an own mistake of the runner",
    "The DUT is not open.": "an own mistake of the runner",
    "has no function ": "a library that is no device at all: workers_test",
    "was asked for by a request that the ABI does not have": "an own mistake of the runner",
    "The vector gives packets by their fields, and the runner has no codec.": "it has one",
    "no codec to read it with": "the same",
    "a packet by fields": "the same",
    "one of no outcomes": "vector lint refuses it",
    "The peer cannot be made: ": "vector lint refuses what it could not be made of",
    "The peer: ": "an own mistake of the runner",
    "What the DUT sent cannot be checked: ": "a profile of which the values contradict each other",
    ': No expectation before takes "$': "vector lint refuses it",
    "before it had read a request": "a matter of moments; misbehaving_dut_test brings it about",
    " bytes before it had read a request (": "the same",
    " ms for this vector, and is not asked on.": "a matter of time; patient_dut_test brings it about",
    "The DUT has taken more than ": "the same",
    "after its last answer": "the same",
    "nothing more, the vector was over": "the same",
    "silence until the next request": "the same",
    " bytes or more behind its answer to Bye (": "the same",
    " bytes or more that nobody asked for after its last answer (": "the same",
}
# The values of the closed lists of results, and a text of each in some golden file.
KINDS = {
    "conformance/report/report.h": {
        "kPass": "PASS",
        "kFail": "FAIL ",
        "kWaived": "WAIVED ",
        "kUnexpectedPass": "UNEXPECTED_PASS ",
        "kUnsupported": "UNSUPPORTED: ",
        "kHarnessError": "HARNESS_ERROR ",
    },
    "conformance/dut/dut.h": {
        "kNone": "PASS",
        "kDied": "The DUT ended with exit status",
        "kHung": "The DUT gave no answer within",
        "kGarbage": "that are no Answer",
    },
    "conformance/play/play.h": {
        "kMet": "the run succeeds",
        "kDiverged": "  expected  ",
        "kUnsupported": "UNSUPPORTED: ",
        "kHarness": "HARNESS_ERROR ",
    },
}
MIN_LETTERS = 12


def faults(metaroce: str, device: str, deeds: list, tree: str, tmp: str) -> str:
    """What is said of each deed."""
    text = ""
    for deed in deeds:
        arguments = f"replay --dut '{device} {deed}' --vectors TMP/{tree} --allow-changed"
        arguments += " --timeout 1000"
        text += cli_test.run(metaroce, {device: DEVICES[device], "TMP": tmp}, arguments) + "\n"
    # The table and the notes are the same for all.
    kept = [line for line in text.split("\n") if not re.match(DROPPED, line)]
    return re.sub(r"\bchild [0-9]+", "child PID", re.sub(r"\n{2,}", "\n\n", "\n".join(kept)))


DROPPED = r" +PASS  FAIL|codec +[0-9]|all +[0-9]|note: |time: "


def bind_by_profile(tmp: pathlib.Path) -> None:
    """A vector that binds no device but one that is faster than the default."""
    vector = json.loads((tmp / "three/codec/first.json").read_text())
    vector["profile"] = [{"parameter": "ack_max", "relation": "<=", "value": 10}]
    (tmp / "bound/codec").mkdir(parents=True)
    (tmp / "bound/codec/first.json").write_text(json.dumps(vector))


DEVICES = {"MISBEHAVING": cli_test.MISBEHAVING, "MISLIB": ""}


def sentences(source: str) -> list:
    """The literal parts of the texts of a source."""
    text = re.sub(r"(?m)^ *(//|#include).*$", "", pathlib.Path(source).read_text())
    text = re.sub(r'"\s*\n\s*"', "", text)
    parts = []
    for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
        parts += re.split(r"%[-+#0-9.]*[a-z]|\\n", literal.replace('\\"', '"'))
    return [part for part in parts if len(re.findall("[a-z]", part)) >= MIN_LETTERS and " " in part]


def words(text: str) -> str:
    return " ".join(text.split())


def unshown() -> list:
    """What no golden file shows."""
    files = [path for root in ALL_GOLDEN for path in sorted(pathlib.Path(root).rglob("*.*"))]
    shown = words(" ".join(path.read_text(errors="replace") for path in files))
    found = []
    for source in SOURCES:
        for text in sentences(source):
            if words(text) not in shown and text not in NOT_SHOWN:
                found.append(f'{source} says "{text}", and no golden file does')
    for header, kinds in KINDS.items():
        declared = re.findall(
            r"enum class (?:Verdict|FaultKind|PlayKind) \{(.*?)\}",
            pathlib.Path(header).read_text(),
            re.S,
        )
        values = re.findall(r"\bk[A-Z]\w*", re.sub("//.*", "", "".join(declared)))
        if sorted(values) != sorted(kinds):
            found.append(f"{header} has the values {values}, this test {list(kinds)}")
        for kind, text in kinds.items():
            if words(text) not in shown:
                found.append(f'no golden file shows {kind} of {header}, "{text}"')
    return found


def main() -> int:
    metaroce, library, other = sys.argv[1:4]
    for name, path in (("MISLIB", library), ("OTHERLIB", other)):
        DEVICES[name] = os.path.join(".", path)
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        cli_test.prepare_vectors(pathlib.Path(tmp))
        bind_by_profile(pathlib.Path(tmp))
        for name, device, deeds, tree in (
            ("program", "MISBEHAVING", PROGRAM, "three"),
            ("library", "MISLIB", LIBRARY, "three"),
            ("version", "OTHERLIB", ["none"], "three"),
            ("profile", "MISBEHAVING", ["none"], "bound"),
        ):
            path = GOLDEN / f"{name}.txt"
            said = faults(metaroce, device, deeds, tree, tmp)
            if "--update" in sys.argv:
                path.parent.mkdir(exist_ok=True)
                path.write_text(said)
            elif said != path.read_text():
                print(f"--- {path}\n{path.read_text()}+++ now\n{said}")
                failed += 1
    for text in unshown():
        print(text)
        failed += 1
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
