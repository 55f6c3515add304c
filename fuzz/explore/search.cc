#include "fuzz/explore/search.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "fuzz/explore/bytes.h"
#include "spec/tables.h"
#include "vectors/file.h"

namespace metaroce::explore {

const char* Name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kProblem:
      return "PROBLEM";
    case Verdict::kDeadlock:
      return "DEADLOCK";
    case Verdict::kStuck:
      return "STUCK";
    case Verdict::kNotHit:
      return "NOT HIT";
    case Verdict::kUnfinished:
      return "unfinished";
  }
  return "";
}

std::pair<uint32_t, bool> Seen::Add(const Hash128& hash, uint32_t parent, uint32_t action) {
  if (2 * (hashes_.size() + 1) > slots_.size()) Grow();
  const uint64_t mask = slots_.size() - 1;
  for (uint64_t at = hash.low & mask;; at = (at + 1) & mask) {
    if (slots_[at] == 0) {
      hashes_.push_back(hash);
      parents_.push_back(parent);
      actions_.push_back(action);
      slots_[at] = static_cast<uint32_t>(hashes_.size());
      return {slots_[at] - 1, true};
    }
    if (hashes_[slots_[at] - 1] == hash) return {slots_[at] - 1, false};
  }
}

void Seen::Grow() {
  slots_.assign(2 * slots_.size(), 0);
  const uint64_t mask = slots_.size() - 1;
  for (size_t n = 0; n < hashes_.size(); ++n) {
    uint64_t at = hashes_[n].low & mask;
    while (slots_[at] != 0) at = (at + 1) & mask;
    slots_[at] = static_cast<uint32_t>(n + 1);
  }
}

namespace {

// A position is written behind its length, of two bytes.
void AppendPosition(const std::string& encoded, std::string* out) {
  out->push_back(static_cast<char>(encoded.size()));
  out->push_back(static_cast<char>(encoded.size() >> 8));
  out->append(encoded);
}

absl::string_view PositionAt(const std::string& list, size_t at) {
  const size_t length = static_cast<uint8_t>(list[at]) + 256u * static_cast<uint8_t>(list[at + 1]);
  return absl::string_view(list).substr(at + 2, length);
}

}  // namespace

Search::Search(World* world) : world_(*world) {
  world_.start().Encode(&encoded_);
  seen_.Add(Hash(encoded_), 0, 0);
  AppendPosition(encoded_, &frontier_);
  result_.progress.positions = 1;
  result_.progress.frontier = 1;
  if (!world_.problem().empty()) {
    failed_ = true;
    result_.verdict = Verdict::kProblem;
    result_.problem = world_.problem();
  }
}

void Search::Run(const Limits& limits) {
  Position position;
  while (!failed_) {
    if (frontier_at_ == frontier_.size()) {
      if (next_frontier_.empty()) return;
      frontier_.swap(next_frontier_);
      next_frontier_.clear();
      frontier_at_ = 0;
      ++result_.progress.depth;
    }
    if (result_.progress.expanded % 65536 == 0) {
      result_.progress.frontier = seen_.size() - result_.progress.expanded;
      if (limits.tick && !limits.tick(result_.progress)) return;
    }
    if (seen_.size() >= limits.positions) return;
    const absl::string_view encoded = PositionAt(frontier_, frontier_at_);
    position.Decode(encoded);
    frontier_at_ += 2 + encoded.size();
    Expand(next_number_++, position);
  }
}

void Search::Expand(uint32_t number, const Position& position) {
  ++result_.progress.expanded;
  edges_begin_.push_back(edges_.size());
  if (world_.Done(position)) {
    done_.push_back(true);
    ++result_.done;
    return;
  }
  done_.push_back(false);
  world_.Actions(position, &actions_);
  if (actions_.empty()) {
    return Fail(Verdict::kDeadlock, "Nothing can happen any more, and the work is not done.",
                number);
  }
  Position next;
  for (const Action& action : actions_) {
    ++result_.progress.steps;
    Problem wrong = world_.Apply(position, action, &next);
    if (!wrong.empty()) {
      const bool too_large = absl::StartsWith(wrong, kTooLarge);
      Fail(too_large ? Verdict::kUnfinished : Verdict::kProblem, std::move(wrong), number);
      way_.push_back(action.code());
      return;
    }
    encoded_.clear();
    next.Encode(&encoded_);
    const auto [to, fresh] = seen_.Add(Hash(encoded_), number, action.code());
    edges_.push_back(to);
    if (!fresh) continue;
    ++result_.progress.positions;
    result_.largest_position = std::max(result_.largest_position, encoded_.size());
    AppendPosition(encoded_, &next_frontier_);
  }
}

void Search::Fail(Verdict verdict, std::string problem, uint32_t number) {
  failed_ = true;
  result_.verdict = verdict;
  result_.problem = std::move(problem);
  way_ = WayTo(number);
}

std::vector<uint32_t> Search::WayTo(uint32_t number) const {
  std::vector<uint32_t> way;
  for (; number != 0; number = seen_.parent(number)) way.push_back(seen_.action(number));
  std::reverse(way.begin(), way.end());
  return way;
}

// From every position there must be a way to one in which the work is done.
void Search::FindStuck() {
  const uint32_t n = seen_.size();
  std::vector<uint32_t> begin(n + 1, 0);  // of the edges that lead to a position
  for (uint32_t to : edges_) ++begin[to + 1];
  for (uint32_t i = 0; i < n; ++i) begin[i + 1] += begin[i];
  std::vector<uint32_t> from(edges_.size());
  std::vector<uint32_t> at(begin.begin(), begin.end() - 1);
  for (uint32_t i = 0; i < n; ++i) {
    const uint64_t end = i + 1 < n ? edges_begin_[i + 1] : edges_.size();
    for (uint64_t e = edges_begin_[i]; e < end; ++e) from[at[edges_[e]]++] = i;
  }
  std::vector<bool> can(n, false);
  std::vector<uint32_t> stack;
  for (uint32_t i = 0; i < n; ++i) {
    if (!done_[i]) continue;
    can[i] = true;
    stack.push_back(i);
  }
  while (!stack.empty()) {
    const uint32_t i = stack.back();
    stack.pop_back();
    for (uint32_t e = begin[i]; e < begin[i + 1]; ++e) {
      if (can[from[e]]) continue;
      can[from[e]] = true;
      stack.push_back(from[e]);
    }
  }
  for (uint32_t i = 0; i < n; ++i) {
    if (can[i]) continue;
    return Fail(Verdict::kStuck, "Whatever happens from here, the work is never done.", i);
  }
}

namespace {

template <typename T>
void PutList(std::string* out, const std::vector<T>& list) {
  static_assert(std::is_trivially_copyable_v<T>);
  PutString(out,
            absl::string_view(reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)));
}
template <typename T>
void TakeList(absl::string_view* in, std::vector<T>* list) {
  const absl::string_view bytes = TakeString(in);
  list->resize(bytes.size() / sizeof(T));
  if (!list->empty()) std::memcpy(list->data(), bytes.data(), list->size() * sizeof(T));
}

constexpr absl::string_view kMagic = "metaroce explore 1 ";

}  // namespace

absl::Status Search::SaveTo(const std::string& path) const {
  std::string out;
  PutString(&out, kMagic);
  PutString(&out, absl::string_view(spec::kHash.data(), spec::kHash.size()));
  PutString(&out, world_.scenario().name);
  world_.Save(&out);
  const Progress& p = result_.progress;
  for (uint64_t n :
       {p.positions, p.expanded, p.steps, uint64_t{p.depth}, result_.done,
        uint64_t{result_.largest_position}, uint64_t{frontier_at_}, uint64_t{next_number_}}) {
    Put64(&out, n);
  }
  PutList(&out, seen_.hashes_);
  PutList(&out, seen_.parents_);
  PutList(&out, seen_.actions_);
  PutString(&out, frontier_);
  PutString(&out, next_frontier_);
  PutList(&out, edges_begin_);
  PutList(&out, edges_);
  std::vector<uint8_t> done(done_.begin(), done_.end());
  PutList(&out, done);
  const Hash128 hash = Hash(out);
  Put64(&out, hash.high);
  Put64(&out, hash.low);
  return vectors::WriteFile(path, out);
}

absl::Status Search::LoadFrom(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream buffer;
  buffer << file.rdbuf();
  const std::string bytes = buffer.str();
  const auto wrong = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", why));
  };
  if (!file || bytes.size() < 16) return wrong("this is no state of a search.");
  absl::string_view in = absl::string_view(bytes).substr(0, bytes.size() - 16);
  absl::string_view end = absl::string_view(bytes).substr(in.size());
  const Hash128 hash = Hash(in);
  if (TakeNumber(&end) != hash.high || TakeNumber(&end) != hash.low) {
    return wrong("this is no state of a search, or it was changed.");
  }
  // What follows was written by SaveTo.
  if (TakeString(&in) != kMagic) return wrong("it is of another version of the explorer.");
  const std::string text(TakeString(&in));
  if (text != spec::kHash) return wrong("it is of another text.");
  const std::string name(TakeString(&in));
  if (name != world_.scenario().name) {
    return wrong(absl::StrCat("it is of the preset \"", name, "\"."));
  }
  if (!world_.Restore(&in)) return wrong("it is of another model.");
  Progress& p = result_.progress;
  p.positions = TakeNumber(&in);
  p.expanded = TakeNumber(&in);
  p.steps = TakeNumber(&in);
  p.depth = static_cast<uint32_t>(TakeNumber(&in));
  result_.done = TakeNumber(&in);
  result_.largest_position = TakeNumber(&in);
  frontier_at_ = TakeNumber(&in);
  next_number_ = static_cast<uint32_t>(TakeNumber(&in));
  std::vector<Hash128> hashes;
  std::vector<uint32_t> parents;
  std::vector<uint32_t> actions;
  TakeList(&in, &hashes);
  TakeList(&in, &parents);
  TakeList(&in, &actions);
  frontier_ = std::string(TakeString(&in));
  next_frontier_ = std::string(TakeString(&in));
  TakeList(&in, &edges_begin_);
  TakeList(&in, &edges_);
  std::vector<uint8_t> done;
  TakeList(&in, &done);
  done_.assign(done.begin(), done.end());
  seen_ = Seen();
  for (size_t n = 0; n < hashes.size(); ++n) seen_.Add(hashes[n], parents[n], actions[n]);
  return absl::OkStatus();
}

Result Search::Finish() {
  if (!failed_ && frontier_at_ == frontier_.size() && next_frontier_.empty()) {
    result_.verdict = Verdict::kHolds;
    FindStuck();
    for (spec::Clause clause : world_.scenario().must_hit) {
      if (failed_ || world_.hits()[static_cast<size_t>(clause)]) continue;
      result_.verdict = Verdict::kNotHit;
      const std::string_view name = spec::Name(clause);
      result_.problem = absl::StrCat("No step used the clause ",
                                     absl::string_view(name.data(), name.size()), ".");
    }
  }
  result_.progress.frontier = seen_.size() - result_.progress.expanded;
  result_.largest_side = world_.largest_side();
  result_.side_states = world_.side_states();
  Position position = world_.start();
  if (!way_.empty()) result_.inputs = world_.warm_up();
  for (uint32_t code : way_) {
    const Action action = Action::Of(code);
    if (auto input = world_.StimulusOf(position, action)) {
      result_.inputs.push_back(*std::move(input));
    }
    result_.history.push_back(world_.Describe(position, action));
    Position next;
    world_.Apply(position, action, &next);
    position = next;
  }
  for (int side = 0; side < 2 && failed_; ++side) {
    result_.state[side] = world_.Print(position, side);
  }
  way_.clear();
  return result_;
}

}  // namespace metaroce::explore
