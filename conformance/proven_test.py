#!/usr/bin/env python3
"""Holds the marks *unproven* in the text against what exercises its clauses [SPEC-UNPROVEN].

usage: proven_test.py REGISTRY

A clause other than INFO is exercised if a published vector names it, or a test of the table below,
which must exist under that name. One that is not exercised must be marked; one that a vector names must
not be.
"""

import json
import pathlib
import sys

# Clauses about the runner, the files and the profile: no device can break them, a test does.
TESTS = {
    "CONF-CAPABILITY": "conformance/runner/replay_test.cc AVectorBindsByCapabilityAndProfile",
    "CONF-TRANSPORT": "conformance/runner/misbehaving_dut_test.cc HalfAFrameIsAFailure",
    "CONF-ENCODING": "conformance/runner/misbehaving_dut_test.cc GarbageIsAFailure",
    "CONF-ANSWER": "conformance/runner/misbehaving_dut_test.cc AnAnswerToAnotherRequestIsAFailure",
    "CONF-UNSUPPORTED": "conformance/runner/misbehaving_dut_test.cc"
    " UnsupportedDoesNotDodgeAVector",
    "CONF-ERROR": "conformance/runner/misbehaving_dut_test.cc ErrorIsAFailureAndItsTextIsMadeSafe",
    "CONF-HELLO": "conformance/runner/replay_test.cc AnotherHashOfTheTextIsANote",
    "CONF-RESET": "conformance/runner/play_test.cc ResetCarriesLevelBlockAndConfiguration",
    "CONF-RECORDS": "vectors/json_test.cc AFieldIsANumberDataOrAWordAndNothingElse",
    "CONF-SNAPSHOT": "conformance/runner/play_test.cc StopsAtTheFirstDivergence",
    "CONF-BYE": "conformance/runner/misbehaving_dut_test.cc ByeIsHeldAgainstTheRun",
    "CONF-VECTOR": "vectors/json_test.cc TheSamplesAreCanonical",
    "CONF-VECTOR-STRICT": "vectors/json_test.cc RefusesAnUnknownMemberAtAnyDepth",
    "CONF-VECTOR-CHOICE": "vectors/lint_test.cc IsFound",
    "CONF-EXPECT": "conformance/runner/play_test.cc IgnoredEventsAreNotComparedAndOthersAre",
    "CONF-EXPECT-TIME": "conformance/runner/play_test.cc"
    " ABoundTakesTheConfigurationThenTheProfileThenTheDefault",
    "CONF-BURST": "conformance/runner/play_test.cc"
    " ABurstIsOneRequestEachAndItsNumbersWrapAtTheirWidth",
    "CONF-VERDICT": "conformance/runner/replay_test.cc GivesEachVectorAVerdictAndSaysByeOnce",
    "CONF-DEATH": "conformance/runner/misbehaving_dut_test.cc"
    " ACrashIsAFailureWithItsSignalAndItsLog",
    "CONF-SURPLUS": "conformance/runner/misbehaving_dut_test.cc"
    " AnAnswerTooManyIsAFailureOfTheVectorAfterWhichItCame",
    "CONF-FIRST": "conformance/runner/play_test.cc StopsAtTheFirstDivergence",
    "CONF-WAIVER": "conformance/runner/replay_test.cc AWaiverInForceCoversAFailureAtItsClause",
    "PROFILE-PARAMETERS": "conformance/runner/replay_test.cc AVectorBindsByCapabilityAndProfile",
    "PROFILE-RULES": "spec/compiler/frontend/rule_refusal_test.cc CrossRule",
}


def named_by_vectors() -> set[str]:
    named: set[str] = set()
    count = 0
    for path in pathlib.Path("vectors").glob("*/*/*.json"):
        vector = json.loads(path.read_text())
        count += 1
        named.update(vector["clauses"])
        named.update(step["clause"] for step in vector["steps"] if "clause" in step)
    if count < 100:
        sys.exit(f"only {count} vectors were found")
    return named


def main() -> int:
    registry = json.loads(pathlib.Path(sys.argv[1]).read_text())
    vectors = named_by_vectors()
    problems = []
    for clause, place in TESTS.items():
        file, name = place.split()
        if name not in pathlib.Path(file).read_text():
            problems.append(f"{clause}: {file} has no test {name}")
    known = set()
    proven = 0
    for clause in registry["clause"]:
        known.add(clause["id"])
        if clause["level"] == "INFO":
            continue
        exercised = clause["id"] in vectors or clause["id"] in TESTS
        proven += exercised
        place = f"spec/{clause['chapter']}:{clause['line']}: {clause['id']}"
        if not exercised and not clause.get("unproven"):
            problems.append(f"{place}: nothing exercises it and it is not marked unproven")
        if clause["id"] in vectors and clause.get("unproven"):
            problems.append(f"{place}: a vector names it and it is marked unproven")
    problems += [f"{clause}: there is no such clause" for clause in sorted(set(TESTS) - known)]
    print("\n".join(problems))
    print(f"{proven} clauses are exercised, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
