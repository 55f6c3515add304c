#include "vectors/bundle/bundle.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"
#include "spec/compiler/frontend/sha256.h"
#include "vectors/bundle/retired.h"
#include "vectors/file.h"
#include "vectors/for_each.h"
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
  return absl::HexStringToBytes(compiler::Sha256Hex(bytes));
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

// Whether each field of the message is one of the schema: what UnknownIn finds, many times faster.
template <typename M>
bool Own(const M& message) {
  static const google::protobuf::Reflection* const kReflection = message.GetReflection();
  return kReflection->GetUnknownFields(message).empty();
}

bool Known(const Placement& placement) { return Own(placement); }
bool Known(const Field& field) { return Own(field) && Own(field.taken()); }
bool Known(const Fields& fields) {
  return Own(fields) && std::all_of(fields.field().begin(), fields.field().end(),
                                    [](const Field& field) { return Known(field); });
}
bool Known(const Bound& bound) {
  return Own(bound) && std::all_of(bound.term().begin(), bound.term().end(), Own<Term>);
}
bool Known(const Packet& packet) {
  return Own(packet) && Known(packet.fields()) && Known(packet.includes());
}
bool Known(const Expectation& expect) {
  const auto& outcomes = expect.one_of().outcomes();
  return Own(expect) && Own(expect.one_of()) && Known(expect.fields()) &&
         Known(expect.includes()) && Known(expect.packet()) && Known(expect.completion()) &&
         Known(expect.placement()) && Known(expect.memory()) && Known(expect.nothing()) &&
         Known(expect.after()) && Known(expect.within()) &&
         std::all_of(outcomes.begin(), outcomes.end(),
                     [](const Expectation& outcome) { return Known(outcome); });
}
bool Known(const Step& step) {
  return Own(step) && Known(step.encode()) && Known(step.apply()) && Known(step.arrive()) &&
         Known(step.post()) && (!step.has_expect() || Known(step.expect())) && Own(step.repeat()) &&
         Known(step.repeat().by());
}
bool Known(const System& system) {
  return Own(system) && Known(system.peer()) &&
         std::all_of(system.delays().begin(), system.delays().end(), Own<Delay>) &&
         std::all_of(system.faults().begin(), system.faults().end(), Own<PathFault>);
}
bool Known(const Vector& vector) {
  return Own(vector) && Own(vector.provenance()) && Known(vector.config()) &&
         (!vector.has_system() || Known(vector.system())) &&
         std::all_of(vector.profile().begin(), vector.profile().end(), Own<Predicate>) &&
         std::all_of(vector.steps().begin(), vector.steps().end(),
                     [](const Step& step) { return Known(step); });
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
    for (int i = 0; status.ok() && i < head_.vectors_size(); ++i) status = TakeVector(i);
    if (status.ok()) status = ReadVectors();
    if (status.ok() && !bytes_.empty()) {
      status = Refuse("vectors", absl::StrCat("Behind the last of them ", bytes_.size(),
                                              " bytes too many follow."));
    }
    if (!status.ok()) return status;
    *bundle_.retired.mutable_retired() = head_.retired();
    const auto findings = CheckRetired(bundle_.retired, bundle_.tree.vectors, Vectors::kSome);
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
    absl::Status status = Parse("head", *bytes, head_);
    if (status.ok() && !UnknownIn(head_).empty()) status = Unknown("head", head_);
    return status;
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
    return absl::OkStatus();
  }

  absl::Status Unknown(absl::string_view member, const Message& message) const {
    return Refuse(absl::StrCat(member, ".", UnknownIn(message)),
                  "There is no such field, or it has another type.");
  }

  std::string MemberOf(int i) const {
    return absl::StrCat("vectors[", i, "] (", Printable(Shorten(head_.vectors(i).path(), 200)),
                        ")");
  }

  absl::Status TakeVector(int i) {
    const auto bytes = Take(MemberOf(i), kMaxVectorBytes);
    if (!bytes.ok()) return bytes.status();
    taken_.push_back(*bytes);
    const uint32_t size = head_.vectors(i).size();
    if (bytes->size() == size) return absl::OkStatus();
    return Refuse(absl::StrCat(MemberOf(i), ".size"),
                  absl::StrCat("It has ", bytes->size(), " bytes; the head says ", size, "."));
  }

  absl::Status ReadVector(int i, StoredVector& stored) const {
    const absl::string_view bytes = taken_[static_cast<size_t>(i)];
    const BundleHead::Entry& entry = head_.vectors(i);
    if (Digest(bytes) != entry.sha256()) {
      return Refuse(absl::StrCat(MemberOf(i), ".sha256"),
                    "It is not that of the head: the vector was changed.");
    }
    absl::Status status = Parse(MemberOf(i), bytes, stored.vector);
    if (status.ok() && !Known(stored.vector)) status = Unknown(MemberOf(i), stored.vector);
    if (!status.ok()) return status;
    stored.path = entry.path();
    for (const Finding& finding : CheckVector(stored.vector, index_)) {
      stored.findings.push_back(ToString(stored.path, finding));
    }
    const std::string fault = FaultOfPlace(stored.path, stored.vector);
    if (!fault.empty()) stored.findings.push_back(absl::StrCat(stored.path, ": ", fault));
    return absl::OkStatus();
  }

  absl::Status ReadVectors() {
    std::vector<StoredVector>& vectors = bundle_.tree.vectors;
    vectors.resize(taken_.size());
    std::vector<absl::Status> read(taken_.size());
    ForEach(taken_.size(),
            [&](size_t i) { read[i] = ReadVector(static_cast<int>(i), vectors[i]); });
    std::set<std::string> ids;
    for (size_t i = 0; i < read.size(); ++i) {
      if (!read[i].ok()) return read[i];
      const std::string& id = vectors[i].vector.id();
      if (ids.insert(id).second) continue;
      return Refuse(
          absl::StrCat(MemberOf(static_cast<int>(i)), ".id"),
          absl::StrCat("\"", Printable(Shorten(id, 80)), "\" is the id of another vector too."));
    }
    return absl::OkStatus();
  }

  absl::string_view bytes_;  // not read yet
  const absl::string_view file_;
  const SpecIndex& index_;
  BundleHead head_;
  std::vector<absl::string_view> taken_;  // the bytes of the vectors
  Bundle bundle_;
};

}  // namespace

absl::StatusOr<std::string> WriteBundle(const Tree& tree, const RetiredList& retired,
                                        const SpecIndex& index) {
  const std::vector<std::string> findings = tree.Findings();
  if (!findings.empty()) return absl::FailedPreconditionError(findings.front());
  const auto wrong = CheckRetired(retired, tree.vectors, Vectors::kSome);
  if (!wrong.empty()) {
    return absl::FailedPreconditionError(ToString(kRetiredFile, wrong.front()));
  }
  BundleHead head;
  head.set_spec_version(index.version());
  head.set_spec_hash(index.hash());
  *head.mutable_retired() = retired.retired();
  constexpr size_t kRoom = 256;  // of an entry of the head
  size_t total = kRoom;
  for (const StoredVector& stored : tree.vectors) total += stored.vector.ByteSizeLong() + kRoom;
  std::string out;
  out.reserve(total);
  for (const StoredVector& stored : tree.vectors) {
    const auto size = static_cast<size_t>(stored.vector.GetCachedSize());
    AppendVarint(size, out);
    const size_t at = out.size();
    out.resize(at + size);
    stored.vector.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(&out[at]));
    BundleHead::Entry& entry = *head.add_vectors();
    entry.set_path(stored.path);
    entry.set_size(static_cast<uint32_t>(size));
    entry.set_sha256(Digest(absl::string_view(out).substr(at)));
  }
  const std::string bytes = head.SerializeAsString();
  std::string front = absl::StrCat(kMagic, kFormat, compiler::Sha256Hex(bytes), "\n");
  AppendVarint(bytes.size(), front);
  out.insert(0, absl::StrCat(front, bytes));
  return out;
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
