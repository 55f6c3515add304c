#include "model/state/state.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "model/state/bytes.h"
#include "model/state/fields.h"

namespace metaroce::state {
namespace {

class TreeWriter {
 public:
  static constexpr bool kReads = false;

  explicit TreeWriter(Node* root) : stack_{root} {}

  void Number(const char* name, uint64_t value) { Add(name)->set_number(value); }
  void Time(const char* name, Nanoseconds t) { Add(name)->set_nanoseconds(t); }
  void Begin(const char* name) { stack_.push_back(Add(name)); }
  void End() { stack_.pop_back(); }
  bool counters() const { return true; }

 private:
  Node* Add(const char* name) {
    Node* node = stack_.back()->add_child();
    if (name != nullptr) node->set_name(name);
    return node;
  }

  std::vector<Node*> stack_;
};

// Walks a tree in the order of the lists.
class TreeReader {
 public:
  static constexpr bool kReads = true;

  explicit TreeReader(const Node& root) : stack_{{&root, 0}} {}

  uint64_t Number(const char* name) {
    const Node* node = Next(name);
    return node == nullptr ? 0 : node->number();
  }
  Nanoseconds Time(const char* name) {
    const Node* node = Next(name);
    return node == nullptr ? 0 : node->nanoseconds();
  }
  void Begin(const char* name) {
    static const Node* const kNone = new Node();
    const Node* node = Next(name);
    stack_.push_back({node == nullptr ? kNone : node, 0});
  }
  void End() {
    const Place& place = stack_.back();
    if (place.next < place.node->child_size()) Fail("is one too many");
    stack_.pop_back();
  }
  bool counters() const { return true; }
  size_t left() const {
    return static_cast<size_t>(stack_.back().node->child_size() - stack_.back().next);
  }
  const std::string& problem() const { return problem_; }

 private:
  struct Place {
    const Node* node;
    int next;
  };

  // The next value of the innermost open list, which must have that name.
  const Node* Next(const char* name) {
    Place& place = stack_.back();
    if (place.next >= place.node->child_size()) {
      Fail("is missing");
      return nullptr;
    }
    const Node& node = place.node->child(place.next);
    if (name != nullptr && node.name() != name) {
      Fail(absl::StrCat("is \"", node.name(), "\"; \"", name, "\" should stand here"));
      return nullptr;
    }
    ++place.next;
    return &node;
  }
  void Fail(absl::string_view what) {
    if (!problem_.empty()) return;
    std::string path;
    for (size_t i = 1; i < stack_.size(); ++i) absl::StrAppend(&path, stack_[i].node->name(), ".");
    problem_ = absl::StrCat("Value ", stack_.back().next, " of \"", path, "\" ", what, ".");
  }

  std::vector<Place> stack_;
  std::string problem_;
};

bool IsZero(const Node& node) {
  if (node.number() != 0 || node.nanoseconds() != 0) return false;
  for (const Node& child : node.child()) {
    if (!IsZero(child)) return false;
  }
  return true;
}

void PrintNode(const Node& node, int depth, int index, std::string* out) {
  if (IsZero(node)) return;
  out->append(static_cast<size_t>(2 * depth), ' ');
  if (node.name().empty()) {
    absl::StrAppend(out, "[", index, "]");
  } else {
    absl::StrAppend(out, node.name());
  }
  if (node.value_case() == Node::kNumber) absl::StrAppend(out, ": ", node.number());
  if (node.value_case() == Node::kNanoseconds) {
    if (node.nanoseconds() == kNever) {
      absl::StrAppend(out, ": never");
    } else {
      absl::StrAppend(out, ": ", node.nanoseconds(), " ns");
    }
  }
  out->push_back('\n');
  for (int i = 0; i < node.child_size(); ++i) PrintNode(node.child(i), depth + 1, i, out);
}

}  // namespace

void Save(const endpoint::Endpoint& endpoint, Counters counters, std::string* out) {
  ByteWriter writer(out, counters == Counters::kWith);
  StateFields::Of(writer, endpoint.state());
}

absl::Status Restore(absl::string_view bytes, Counters counters, endpoint::Endpoint* endpoint) {
  ByteReader reader(bytes, counters == Counters::kWith);
  StateFields::Of(reader, endpoint->state());
  if (reader.ok()) return absl::OkStatus();
  return absl::InvalidArgumentError("The bytes are not the state of an endpoint.");
}

Node ToProto(const endpoint::Endpoint& endpoint) {
  Node root;
  root.set_name("endpoint");
  TreeWriter writer(&root);
  StateFields::Of(writer, endpoint.state());
  return root;
}

absl::Status FromProto(const Node& node, endpoint::Endpoint* endpoint) {
  TreeReader reader(node);
  StateFields::Of(reader, endpoint->state());
  if (reader.problem().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(reader.problem());
}

std::string Print(const endpoint::Endpoint& endpoint) {
  std::string out;
  PrintNode(ToProto(endpoint), 0, 0, &out);
  return out;
}

}  // namespace metaroce::state
