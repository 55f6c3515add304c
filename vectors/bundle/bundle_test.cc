#include "vectors/bundle/bundle.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "spec/compiler/frontend/sha256.h"
#include "vectors/bundle/retired.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/testing/fake_spec_index.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

StoredVector Stored(const std::string& id, const std::string& path) {
  const std::string file = absl::StrCat("vectors/testdata/", id, ".json");
  auto text = ReadFile(file, kMaxVectorBytes);
  EXPECT_TRUE(text.ok()) << text.status();
  auto vector = LoadVector(*text, file);
  EXPECT_TRUE(vector.ok()) << vector.status();
  return {path, *std::move(text), *std::move(vector), {}};
}

// Three vectors, in the order of their paths.
Tree Three() {
  Tree tree;
  tree.vectors.push_back(
      Stored("ack-first-behind-hole", "block/ack-generation/ack-first-behind-hole.json"));
  tree.vectors.push_back(Stored("write-codec", "codec/write-codec.json"));
  tree.vectors.push_back(Stored("endpoint-accepts", "endpoint/endpoint-accepts.json"));
  return tree;
}

RetiredList Retirements(const std::vector<std::pair<std::string, std::string>>& successors) {
  RetiredList list;
  for (const auto& [id, next] : successors) {
    Retired& retired = *list.add_retired();
    retired.set_id(id);
    retired.set_version("9.8.7");
    retired.set_clause("ACK-VECTOR");
    retired.set_replaced_by(next);
    retired.set_reason("The clause says something else now.");
  }
  return list;
}

void AppendVarint(size_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// A bundle by hand: its head, and what follows it.
struct Parts {
  BundleHead head;
  std::vector<std::string> vectors;

  std::string Put(bool keep_entries = false) {
    std::string body;
    for (size_t i = 0; i < vectors.size(); ++i) {
      AppendVarint(vectors[i].size(), body);
      body += vectors[i];
      if (keep_entries) continue;
      BundleHead::Entry& entry = *head.mutable_vectors(static_cast<int>(i));
      entry.set_size(static_cast<uint32_t>(vectors[i].size()));
      entry.set_sha256(Unhex(absl::StrCat("0x", compiler::Sha256Hex(vectors[i]))).value());
    }
    const std::string bytes = head.SerializeAsString();
    std::string out = absl::StrCat("metaroce bundle 1 ", compiler::Sha256Hex(bytes), "\n");
    AppendVarint(bytes.size(), out);
    return absl::StrCat(out, bytes, body);
  }
};

Parts ThreeParts() {
  const FakeSpecIndex index;
  Parts parts;
  parts.head.set_spec_version(index.version());
  parts.head.set_spec_hash(index.hash());
  for (const StoredVector& stored : Three().vectors) {
    parts.head.add_vectors()->set_path(stored.path);
    parts.vectors.push_back(stored.vector.SerializeAsString());
  }
  return parts;
}

TEST(BundleTest, GivesBackWhatItWasMadeOf) {
  const FakeSpecIndex index;
  const auto bytes = WriteBundle(Three(), Retirements({{"old", "write-codec"}}), index);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto bundle = ReadBundle(*bytes, "suite.bundle", index);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->spec_version, "9.8.7");
  EXPECT_EQ(bundle->spec_hash, index.hash());
  EXPECT_THAT(bundle->retired.retired(), SizeIs(1));
  EXPECT_THAT(bundle->tree.Findings(), IsEmpty());
  const Tree before = Three();
  ASSERT_EQ(bundle->tree.vectors.size(), before.vectors.size());
  for (size_t i = 0; i < before.vectors.size(); ++i) {
    EXPECT_EQ(bundle->tree.vectors[i].path, before.vectors[i].path);
    EXPECT_EQ(WriteVector(bundle->tree.vectors[i].vector), before.vectors[i].text);
  }
  EXPECT_EQ(*WriteBundle(bundle->tree, bundle->retired, index), *bytes);
  Parts parts = ThreeParts();
  *parts.head.mutable_retired() = bundle->retired.retired();
  EXPECT_EQ(parts.Put(), *bytes);
}

TEST(BundleTest, WhereverItIsCutItIsRefused) {
  const FakeSpecIndex index;
  const auto bytes = WriteBundle(Three(), RetiredList(), index);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  for (size_t size = 0; size < bytes->size(); ++size) {
    const auto bundle = ReadBundle(absl::string_view(*bytes).substr(0, size), "cut.bundle", index);
    ASSERT_FALSE(bundle.ok()) << "cut to " << size << " bytes";
    ASSERT_THAT(std::string(bundle.status().message()), HasSubstr("cut.bundle: "));
  }
}

TEST(BundleTest, WhicheverByteIsChangedItIsRefused) {
  const FakeSpecIndex index;
  const auto bytes = WriteBundle(Three(), RetiredList(), index);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  for (size_t at = 0; at < bytes->size(); ++at) {
    std::string changed = *bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x20);
    ASSERT_FALSE(ReadBundle(changed, "changed.bundle", index).ok()) << "byte " << at;
  }
}

//= CONF-BUNDLE-TEXT
//# A runner that was built from another text than a bundle says so
TEST(BundleTest, AnotherTextIsNoted) {
  const FakeSpecIndex index;
  Parts parts = ThreeParts();
  auto bundle = ReadBundle(parts.Put(), "suite.bundle", index);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(DifferenceOfText(*bundle, "suite.bundle", index), "");
  bundle->spec_version = "9.9.0";
  bundle->spec_hash = std::string(64, 'b');
  EXPECT_EQ(DifferenceOfText(*bundle, "suite.bundle", index),
            "suite.bundle: head.spec_hash: The bundle was made of version 9.9.0, text "
            "bbbbbbbbbbbb; this program has 9.8.7, text aaaaaaaaaaaa.");
}

TEST(BundleTest, AVectorWithAFindingIsNotBundled) {
  const FakeSpecIndex index;
  Tree tree = Three();
  tree.vectors[1].findings.push_back("codec/write-codec.json: clauses: There is no such clause.");
  const auto bytes = WriteBundle(tree, RetiredList(), index);
  EXPECT_EQ(std::string(bytes.status().message()), tree.vectors[1].findings[0]);
}

TEST(BundleTest, WhatTheTextDoesNotKnowIsAFindingOfTheVector) {
  const FakeSpecIndex index;
  Parts parts = ThreeParts();
  Vector vector = Three().vectors[1].vector;
  vector.set_clauses(0, "WIRE-NEVER");
  parts.vectors[1] = vector.SerializeAsString();
  const auto bundle = ReadBundle(parts.Put(), "other.bundle", index);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  ASSERT_THAT(bundle->tree.Findings(), SizeIs(2));
  EXPECT_THAT(bundle->tree.Findings()[0],
              HasSubstr("codec/write-codec.json: clauses: There is no clause \"WIRE-NEVER\""));
}

// Puts a field that the schema does not have into each message below this one in turn, one more
// level down for each recursion, and calls `visit` with where.
void SpoilEach(google::protobuf::Message& message, const std::string& where, int depth,
               const std::function<void(const std::string&)>& visit) {
  const auto* reflection = message.GetReflection();
  reflection->MutableUnknownFields(&message)->AddVarint(99, 1);
  visit(where);
  reflection->MutableUnknownFields(&message)->Clear();
  if (depth == 0) return;
  const auto* type = message.GetDescriptor();
  for (int i = 0; i < type->field_count(); ++i) {
    const auto* field = type->field(i);
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    auto* inner = field->is_repeated() ? reflection->AddMessage(&message, field)
                                       : reflection->MutableMessage(&message, field);
    SpoilEach(*inner, where + "." + field->name(), depth - 1, visit);
    reflection->ClearField(&message, field);
  }
}

TEST(BundleTest, AnUnknownFieldIsFoundWhereverItStands) {
  const FakeSpecIndex index;
  Vector vector;
  size_t places = 0;
  SpoilEach(vector, "vector", 6, [&](const std::string& where) {
    Parts parts = ThreeParts();
    parts.vectors[1] = vector.SerializeAsString();
    const auto bundle = ReadBundle(parts.Put(), "f", index);
    ASSERT_FALSE(bundle.ok()) << where;
    ASSERT_THAT(std::string(bundle.status().message()), HasSubstr("field 99: There is no such"));
    ++places;
  });
  EXPECT_GT(places, 50u);
}

//= CONF-BUNDLE
//# It says which file, which member and why.
// Each refusal, by what is done to a good bundle; testdata/refusals.txt has what is said.
TEST(BundleTest, EachRefusalNamesFileMemberAndReason) {
  const FakeSpecIndex index;
  const std::string good = *WriteBundle(Three(), RetiredList(), index);
  std::vector<std::pair<std::string, std::string>> cases = {
      {"empty", ""},
      {"no bundle", "{\"id\": \"x\"}\n"},
      {"later format", absl::StrReplaceAll(good, {{"bundle 1 ", "bundle 2 "}})},
      {"first line cut", good.substr(0, 40)},
      {"no digits", "metaroce bundle 1 abc\n"},
      {"no head", good.substr(0, good.find('\n') + 1)},
      {"head cut", good.substr(0, 200)},
      {"vector cut", good.substr(0, good.size() - 1)},
      {"vector missing", good.substr(0, good.size() - ThreeParts().vectors[2].size() - 2)},
      {"too long", good + "x"},
  };
  const auto with = [&](const std::string& name, const std::function<void(Parts&)>& change,
                        bool keep_entries = false) {
    Parts parts = ThreeParts();
    if (keep_entries) parts.Put();
    change(parts);
    cases.emplace_back(name, parts.Put(keep_entries));
  };
  std::string stale = good;
  stale[stale.find("codec/write")] = 'k';
  cases.emplace_back("stale hash of the head", stale);
  with(
      "stale hash", [](Parts& p) { p.vectors[1].back() = '\x7f'; }, true);
  with(
      "another size", [](Parts& p) { p.head.mutable_vectors(1)->set_size(7); }, true);
  with("huge", [](Parts& p) { p.vectors[1].assign(size_t{1} << 21, 'x'); });
  with("no message", [](Parts& p) { p.vectors[1] = "\xff\xff"; });
  with("unknown field", [](Parts& p) { p.vectors[1] += std::string("\x98\x06\x01", 3); });
  with("unknown field within", [](Parts& p) {
    // A step (12) with an expectation (8) that has a field 15.
    p.vectors[1] += std::string("\x62\x04\x42\x02\x78\x01", 6);
  });
  with("wrong type", [](Parts& p) { p.vectors[1] += std::string("\x10\x01", 2); });
  with("path twice",
       [](Parts& p) { p.head.mutable_vectors(1)->set_path(p.head.vectors(0).path()); });
  with("id twice", [](Parts& p) { p.vectors[1] = p.vectors[0]; });
  with("unknown field of the head",
       [](Parts& p) { p.head.MergeFromString(std::string("\x98\x06\x01", 3)); });
  const auto retire = [&](const std::string& name,
                          const std::vector<std::pair<std::string, std::string>>& list) {
    with(name, [&](Parts& p) { *p.head.mutable_retired() = Retirements(list).retired(); });
  };
  retire("retired id in use", {{"write-codec", ""}});
  retire("retired twice", {{"old", ""}, {"old", ""}});
  retire("retired out of order", {{"old", ""}, {"a", ""}});
  retire("retired without id", {{"", ""}});
  retire("own successor", {{"old", "old"}});
  retire("cyclic successors", {{"a", "b"}, {"b", "c"}, {"c", "a"}, {"d", "a"}});
  std::string found;
  for (const auto& [name, bytes] : cases) {
    const auto bundle = ReadBundle(bytes, "suite.bundle", index);
    EXPECT_EQ(bundle.status().code(), absl::StatusCode::kInvalidArgument) << name;
    absl::StrAppend(&found, name, "\n  ", std::string(bundle.status().message()), "\n");
  }
  const auto wanted = ReadFile("vectors/bundle/testdata/refusals.txt", size_t{1} << 20);
  ASSERT_TRUE(wanted.ok()) << wanted.status();
  EXPECT_EQ(found, *wanted) << "The file should be:\n" << found;
}

TEST(RetiredTest, TheListIsReadOrRefusedWithItsPlace) {
  const auto list =
      ParseRetired("# none\nretired { id: \"a\" reason: \"r\" }", "retired.textproto");
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->retired(0).reason(), "r");
  EXPECT_THAT(std::string(ParseRetired("retired {\n  idd: 1 }", "f").status().message()),
              HasSubstr("f:2:"));
}

//= CONF-VECTOR-RETIRED
//# A successor is a vector or is retired itself; no row of successors is a circle.
TEST(RetiredTest, ASuccessorMayBeRetiredTooButNotGoRoundInACircle) {
  const Tree tree = Three();
  EXPECT_THAT(CheckRetired(Retirements({{"a", "b"}, {"b", "write-codec"}, {"c", ""}}), tree.vectors,
                           Vectors::kAll),
              IsEmpty());
  const auto findings =
      CheckRetired(Retirements({{"a", "b"}, {"b", "a"}}), tree.vectors, Vectors::kSome);
  ASSERT_THAT(findings, SizeIs(2));
  EXPECT_EQ(findings[0].member, "retired[0].replaced_by");
  EXPECT_THAT(findings[0].sentence, HasSubstr("circle: a, b, a."));
}

//= CONF-BUNDLE
//# the list of retired ids is whole all the same, and a successor need not be among its vectors.
TEST(RetiredTest, ABundleOfSomeVectorsKeepsTheWholeListAndIsRead) {
  const RetiredList list = Retirements({{"a", "elsewhere"}});
  const FakeSpecIndex index;
  const auto bytes = WriteBundle(Three(), list, index);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto bundle = ReadBundle(*bytes, "f", index);
  ASSERT_TRUE(bundle.ok()) << bundle.status();
  EXPECT_EQ(bundle->retired.retired(0).replaced_by(), "elsewhere");
  const auto findings = CheckRetired(list, Three().vectors, Vectors::kAll);
  ASSERT_THAT(findings, SizeIs(1));
  EXPECT_EQ(findings[0].sentence, "There neither is nor was a vector elsewhere.");
}

TEST(EarlierTest, TitleNotesClausesAndSidesMayChange) {
  Tree now = Three();
  Vector& vector = now.vectors[1].vector;
  vector.set_title("Another title");
  vector.add_clauses("WIRE-ACK");
  vector.add_negative("WIRE-ACK");
  vector.mutable_steps(0)->set_note("a note");
  vector.mutable_steps(1)->set_clause("WIRE-ACK");
  now.vectors[1].path = "codec/elsewhere/write-codec.json";
  EXPECT_THAT(CompareWithEarlier(Three(), now, RetiredList()), IsEmpty());
}

//= CONF-VECTOR-STAYS
//# gives, expects and requires the same as long as it has its id.
TEST(EarlierTest, WhatAVectorGivesExpectsOrRequiresMayNot) {
  const auto after = [](const std::function<void(Vector&)>& change) {
    Tree now = Three();
    change(now.vectors[1].vector);
    return CompareWithEarlier(Three(), now, RetiredList());
  };
  EXPECT_THAT(after([](Vector& v) { v.add_capabilities("snapshot"); }),
              ElementsAre(HasSubstr("codec/write-codec.json: capabilities: ")));
  EXPECT_THAT(after([](Vector& v) { v.mutable_steps(0)->set_decode("x"); }),
              ElementsAre(HasSubstr("codec/write-codec.json: steps[0]: ")));
  EXPECT_THAT(after([](Vector& v) { v.mutable_steps()->RemoveLast(); }),
              ElementsAre(HasSubstr("codec/write-codec.json: steps: ")));
  EXPECT_THAT(after([](Vector& v) { v.add_ignore("packet"); }),
              ElementsAre(HasSubstr("codec/write-codec.json: ignore: ")));
  EXPECT_THAT(after([](Vector& v) { v.add_profile()->set_parameter("ack_max"); }),
              ElementsAre(HasSubstr("codec/write-codec.json: profile: ")));
  EXPECT_THAT(after([](Vector& v) { v.mutable_config()->add_field()->set_name("x"); }),
              ElementsAre(HasSubstr("codec/write-codec.json: config: ")));
}

TEST(EarlierTest, AVectorThatIsGoneIsRetired) {
  Tree now = Three();
  now.vectors.erase(now.vectors.begin() + 1);
  EXPECT_THAT(CompareWithEarlier(Three(), now, RetiredList()),
              ElementsAre(HasSubstr("codec/write-codec.json: id: The vector is gone")));
  EXPECT_THAT(CompareWithEarlier(Three(), now, Retirements({{"write-codec", ""}})), IsEmpty());
}

}  // namespace
}  // namespace metaroce::vectors
