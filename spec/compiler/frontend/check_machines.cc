#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "spec/compiler/frontend/context.h"
#include "spec/compiler/spec.pb.h"

namespace metaroce::compiler {
namespace {

// Bounds the matrix a text can make.
constexpr int kMaxStatesOrEvents = 255;

class MachineChecker {
 public:
  MachineChecker(Context& context, const Machine& machine)
      : context_(context),
        machine_(machine),
        who_(The("machine", machine.name())),
        cells_(static_cast<size_t>(machine.state_size()) * machine.event_size()),
        leads_to_(machine.state_size()) {}

  void Run() {
    for (const Transition& on : machine_.on()) {
      CheckContent(on);
      FillCells(on);
    }
    CheckNoCellEmpty();
    CheckAllReachable();
  }

 private:
  int StateIndex(const std::string& name) const { return IndexOf(machine_.state(), name); }
  int EventIndex(const std::string& name) const { return IndexOf(machine_.event(), name); }

  static int IndexOf(const google::protobuf::RepeatedPtrField<std::string>& names,
                     const std::string& name) {
    auto found = std::find(names.begin(), names.end(), name);
    return found == names.end() ? -1 : static_cast<int>(found - names.begin());
  }

  // "the transition DENIED on ACK_BLOCK of the machine 'path'"
  std::string Show(const Transition& on) const {
    return absl::StrCat("the transition ", on.state().empty() ? "" : on.state(0), " on ",
                        on.event().empty() ? "" : on.event(0), " of ", who_);
  }

  void CheckContent(const Transition& on) {
    const bool acts = !on.next().empty() || !on.effect().empty();
    const int kinds = int{acts} + int{!on.ignored().empty()} + int{!on.impossible().empty()};
    if (kinds == 0) {
      context_.Refuse(on, absl::StrCat(Show(on),
                                       " has no next state, no effect, and is neither "
                                       "ignored nor impossible."));
    } else if (kinds > 1) {
      context_.Refuse(on, absl::StrCat(Show(on),
                                       " is more than one of: a next state or effect, "
                                       "ignored, impossible."));
    }
    if (!on.ignored().empty() && !context_.counters.Has(on.ignored())) {
      context_.Refuse(on, Transition::kIgnoredFieldNumber,
                      NamesUnknown(Show(on), "counter", on.ignored()));
    }
    if (!on.next().empty() && StateIndex(on.next()) < 0) {
      context_.Refuse(on, Transition::kNextFieldNumber, NamesUnknown(Show(on), "state", on.next()));
    }
    if (on.state().empty()) context_.Refuse(on, absl::StrCat(Show(on), " names no state."));
    if (on.event().empty()) context_.Refuse(on, absl::StrCat(Show(on), " names no event."));
  }

  void FillCells(const Transition& on) {
    const int next = StateIndex(on.next());
    for (int e = 0; e < on.event_size(); ++e) {
      if (EventIndex(on.event(e)) >= 0) continue;
      context_.Refuse(on, Transition::kEventFieldNumber, e,
                      NamesUnknown(Show(on), "event", on.event(e)));
    }
    for (int s = 0; s < on.state_size(); ++s) {
      const int state = StateIndex(on.state(s));
      if (state < 0) {
        context_.Refuse(on, Transition::kStateFieldNumber, s,
                        NamesUnknown(Show(on), "state", on.state(s)));
        continue;
      }
      if (next >= 0) leads_to_[state].push_back(next);
      for (const std::string& name : on.event()) {
        if (const int event = EventIndex(name); event >= 0) FillCell(on, state, event);
      }
    }
  }

  void FillCell(const Transition& on, int state, int event) {
    const Transition*& cell = cells_[static_cast<size_t>(state) * machine_.event_size() + event];
    if (cell == nullptr) {
      cell = &on;
      return;
    }
    context_.Refuse(
        on, absl::StrCat("the cell ", machine_.state(state), " on ", machine_.event(event), " of ",
                         who_, " is already filled at ", context_.Show(*cell), "."));
  }

  void CheckNoCellEmpty() {
    for (int state = 0; state < machine_.state_size(); ++state) {
      for (int event = 0; event < machine_.event_size(); ++event) {
        if (cells_[static_cast<size_t>(state) * machine_.event_size() + event] != nullptr) continue;
        context_.Refuse(machine_, absl::StrCat("the cell ", machine_.state(state), " on ",
                                               machine_.event(event), " of ", who_, " is empty."));
      }
    }
  }

  void CheckAllReachable() {
    std::vector<bool> reached(machine_.state_size(), false);
    std::vector<int> todo = {0};
    reached[0] = true;
    while (!todo.empty()) {
      const int state = todo.back();
      todo.pop_back();
      for (int next : leads_to_[state]) {
        if (reached[next]) continue;
        reached[next] = true;
        todo.push_back(next);
      }
    }
    for (int state = 0; state < machine_.state_size(); ++state) {
      if (reached[state]) continue;
      context_.Refuse(machine_, Machine::kStateFieldNumber, state,
                      absl::StrCat("the state ", machine_.state(state), " of ", who_,
                                   " is unreachable from ", machine_.state(0), "."));
    }
  }

  Context& context_;
  const Machine& machine_;
  const std::string who_;
  std::vector<const Transition*> cells_;
  std::vector<std::vector<int>> leads_to_;
};

}  // namespace

void CheckMachines(Context& context) {
  for (const Machine& machine : context.data().machine()) {
    const std::string who = The("machine", machine.name());
    if (machine.state().empty() || machine.event().empty()) {
      context.Refuse(machine, absl::StrCat(who, " has no states or no events."));
    } else if (machine.state_size() > kMaxStatesOrEvents ||
               machine.event_size() > kMaxStatesOrEvents) {
      context.Refuse(
          machine, absl::StrCat(who, " has more than ", kMaxStatesOrEvents, " states or events."));
    } else {
      MachineChecker(context, machine).Run();
    }
  }
}

}  // namespace metaroce::compiler
