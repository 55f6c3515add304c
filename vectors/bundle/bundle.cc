#include "vectors/bundle/bundle.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"
#include "spec/compiler/frontend/sha256.h"
#include "vectors/bundle/retired.h"
#include "vectors/file.h"
#include "vectors/json.h"
#include "vectors/lint.h"
#include "vectors/text.h"

namespace metaroce::vectors {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

constexpr absl::string_view kMagic = "metaroce bundle ";
constexpr absl::string_view kFormat = "1 ";
constexpr size_t kDigestDigits = 64;
constexpr size_t kShownDigits = 12;
constexpr size_t kMaxHeadBytes = size_t{16} << 20;

std::string Digest(absl::string_view bytes) {
  // The digits name 32 bytes.
  return Unhex(absl::StrCat("0x", compiler::Sha256Hex(bytes))).value();
}

void AppendVarint(size_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

// Where in `message` a field stands that the schema does not have: "steps[3].expect.field 9"; empty
// if there is none.
std::string UnknownIn(const Message& message) {
  const auto* reflection = message.GetReflection();
  const auto& unknown = reflection->GetUnknownFields(message);
  if (!unknown.empty()) return absl::StrCat("field ", unknown.field(0).number());
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      const std::string inner =
          UnknownIn(field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                         : reflection->GetMessage(message, field));
      if (inner.empty()) continue;
      return field->is_repeated() ? absl::StrCat(field->name(), "[", i, "].", inner)
                                  : absl::StrCat(field->name(), ".", inner);
    }
  }
  return "";
}

class Reader {
 public:
  Reader(absl::string_view bytes, absl::string_view file, const SpecIndex& index)
      : bytes_(bytes), file_(file), index_(index) {}

  //= CONF-BUNDLE
  //# A reader refuses a bundle that is cut or has bytes too many, whose checksums differ
  absl::StatusOr<Bundle> Read() {
    absl::Status status = ReadHead();
    if (status.ok()) status = CheckHead();
    for (int i = 0; status.ok() && i < head_.vectors_size(); ++i) status = ReadVector(i);
    if (status.ok() && !bytes_.empty()) {
      status = Refuse("vectors", absl::StrCat("Behind the last of them ", bytes_.size(),
                                              " bytes too many follow."));
    }
    if (!status.ok()) return status;
    *bundle_.retired.mutable_retired() = head_.retired();
    const auto findings = CheckRetired(bundle_.retired, bundle_.tree.vectors);
    if (!findings.empty()) return absl::InvalidArgumentError(ToString(file_, findings.front()));
    bundle_.spec_version = head_.spec_version();
    bundle_.spec_hash = head_.spec_hash();
    return std::move(bundle_);
  }

 private:
  absl::Status Refuse(absl::string_view member, absl::string_view sentence) const {
    return absl::InvalidArgumentError(absl::StrCat(file_, ": ", member, ": ", sentence));
  }

  absl::Status Cut(absl::string_view member, size_t want) const {
    return Refuse(member, absl::StrCat("The file is cut: ", bytes_.size(), " of ", want,
                                       " bytes of it are there."));
  }

  absl::Status ReadHead() {
    if (!absl::StartsWith(bytes_, kMagic)) {
      return Refuse("format", "This is no bundle: it does not begin with \"metaroce bundle\".");
    }
    const size_t line = bytes_.find('\n');
    const absl::string_view rest =
        bytes_.substr(kMagic.size(), line == absl::string_view::npos ? line : line - kMagic.size());
    if (!absl::StartsWith(rest, kFormat)) {
      return Refuse("format", absl::StrCat("This is a bundle of format \"",
                                           Printable(Shorten(rest.substr(0, rest.find(' ')), 20)),
                                           "\"; format 1 is read."));
    }
    const absl::string_view digest = rest.substr(kFormat.size());
    if (line == absl::string_view::npos || digest.size() != kDigestDigits) {
      return Refuse("sha256", "The first line does not end with the 64 digits of a checksum.");
    }
    bytes_.remove_prefix(line + 1);
    const auto bytes = Take("head", kMaxHeadBytes);
    if (!bytes.ok()) return bytes.status();
    if (compiler::Sha256Hex(*bytes) != digest) {
      return Refuse("head.sha256", "It is not that of the first line: the head was changed.");
    }
    return Parse("head", *bytes, head_);
  }

  absl::Status CheckHead() const {
    if (static_cast<size_t>(head_.vectors_size()) > kMaxFiles) {
      return Refuse("head.vectors",
                    absl::StrCat("There are ", head_.vectors_size(), "; at most ", kMaxFiles, "."));
    }
    std::string last;
    for (int i = 0; i < head_.vectors_size(); ++i) {
      const std::string& path = head_.vectors(i).path();
      if (path <= last) {
        return Refuse(absl::StrCat("head.vectors[", i, "].path"),
                      absl::StrCat(Printable(Shorten(path, 200)),
                                   " is empty, doubled or not in the order of the paths."));
      }
      last = path;
    }
    return absl::OkStatus();
  }

  // A message's bytes, taken off `bytes_`.
  absl::StatusOr<absl::string_view> Take(absl::string_view member, size_t limit) {
    uint64_t size = 0;
    size_t at = 0;
    for (;; ++at) {
      if (at == bytes_.size()) return Cut(absl::StrCat(member, ".size"), at + 1);
      if (at == 5) return Refuse(absl::StrCat(member, ".size"), "This is no length.");
      const auto byte = static_cast<uint8_t>(bytes_[at]);
      size |= static_cast<uint64_t>(byte & 0x7f) << (7 * at);
      if (byte < 0x80) break;
    }
    bytes_.remove_prefix(at + 1);
    if (size > limit) {
      return Refuse(absl::StrCat(member, ".size"),
                    absl::StrCat("It has ", size, " bytes; at most ", limit, " are read."));
    }
    if (size > bytes_.size()) return Cut(member, size);
    const absl::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  absl::Status Parse(absl::string_view member, absl::string_view bytes, Message& out) const {
    if (!out.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return Refuse(member, absl::StrCat("These ", bytes.size(), " bytes are no ",
                                         out.GetDescriptor()->name(), "."));
    }
    const std::string unknown = UnknownIn(out);
    if (!unknown.empty()) {
      return Refuse(absl::StrCat(member, ".", unknown),
                    "There is no such field, or it has another type.");
    }
    return absl::OkStatus();
  }

  absl::Status ReadVector(int i) {
    const BundleHead::Entry& entry = head_.vectors(i);
    const std::string member =
        absl::StrCat("vectors[", i, "] (", Printable(Shorten(entry.path(), 200)), ")");
    const auto bytes = Take(member, kMaxVectorBytes);
    if (!bytes.ok()) return bytes.status();
    if (bytes->size() != entry.size()) {
      return Refuse(
          absl::StrCat(member, ".size"),
          absl::StrCat("It has ", bytes->size(), " bytes; the head says ", entry.size(), "."));
    }
    if (Digest(*bytes) != entry.sha256()) {
      return Refuse(absl::StrCat(member, ".sha256"),
                    "It is not that of the head: the vector was changed.");
    }
    StoredVector stored;
    absl::Status status = Parse(member, *bytes, stored.vector);
    if (!status.ok()) return status;
    stored.path = entry.path();
    if (!ids_.insert(stored.vector.id()).second) {
      return Refuse(absl::StrCat(member, ".id"),
                    absl::StrCat("\"", Printable(Shorten(stored.vector.id(), 80)),
                                 "\" is the id of another vector too."));
    }
    for (const Finding& finding : CheckVector(stored.vector, index_)) {
      stored.findings.push_back(ToString(stored.path, finding));
    }
    const std::string fault = FaultOfPlace(stored.path, stored.vector);
    if (!fault.empty()) stored.findings.push_back(absl::StrCat(stored.path, ": ", fault));
    bundle_.tree.vectors.push_back(std::move(stored));
    return absl::OkStatus();
  }

  absl::string_view bytes_;  // not read yet
  const absl::string_view file_;
  const SpecIndex& index_;
  BundleHead head_;
  std::set<std::string> ids_;
  Bundle bundle_;
};

}  // namespace

absl::StatusOr<std::string> WriteBundle(const Tree& tree, const RetiredList& retired,
                                        const SpecIndex& index) {
  const std::vector<std::string> findings = tree.Findings();
  if (!findings.empty()) return absl::FailedPreconditionError(findings.front());
  const auto wrong = CheckRetired(retired, tree.vectors);
  if (!wrong.empty()) {
    return absl::FailedPreconditionError(ToString(kRetiredFile, wrong.front()));
  }
  BundleHead head;
  head.set_spec_version(index.version());
  head.set_spec_hash(index.hash());
  *head.mutable_retired() = retired.retired();
  std::string vectors;
  for (const StoredVector& stored : tree.vectors) {
    const std::string bytes = stored.vector.SerializeAsString();
    BundleHead::Entry& entry = *head.add_vectors();
    entry.set_path(stored.path);
    entry.set_size(static_cast<uint32_t>(bytes.size()));
    entry.set_sha256(Digest(bytes));
    AppendVarint(bytes.size(), vectors);
    vectors += bytes;
  }
  const std::string bytes = head.SerializeAsString();
  std::string out = absl::StrCat(kMagic, kFormat, compiler::Sha256Hex(bytes), "\n");
  AppendVarint(bytes.size(), out);
  return absl::StrCat(out, bytes, vectors);
}

absl::StatusOr<Bundle> ReadBundle(absl::string_view bytes, absl::string_view file,
                                  const SpecIndex& index) {
  return Reader(bytes, file, index).Read();
}

absl::StatusOr<Bundle> LoadBundle(const std::string& path, const SpecIndex& index) {
  const absl::StatusOr<std::string> bytes = ReadFile(path, kMaxBundleBytes);
  if (!bytes.ok()) return bytes.status();
  return ReadBundle(*bytes, path, index);
}

std::string DifferenceOfText(const Bundle& bundle, absl::string_view file, const SpecIndex& index) {
  //= CONF-BUNDLE-TEXT
  //# A runner that was built from another text than a bundle says so
  if (bundle.spec_hash == index.hash()) return "";
  const auto shown = [](const std::string& version, const std::string& hash) {
    return Printable(absl::StrCat(Shorten(version, 40), ", text ", hash.substr(0, kShownDigits)));
  };
  return absl::StrCat(file, ": head.spec_hash: The bundle was made of version ",
                      shown(bundle.spec_version, bundle.spec_hash), "; this program has ",
                      shown(index.version(), index.hash()), ".");
}

}  // namespace metaroce::vectors
