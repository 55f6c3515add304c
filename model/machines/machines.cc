#include "model/machines/machines.h"

#include <algorithm>
#include <string_view>

#include "spec/tables.h"

namespace metaroce {
namespace {

using spec::CellKind;
using spec::Name;

std::string Padded(std::string_view text, size_t width) {
  std::string padded(text);
  if (padded.size() < width) padded.append(width - padded.size(), ' ');
  return padded;
}

template <typename State>
std::string CellText(const spec::Cell<State>& cell, State state) {
  std::string text;
  switch (cell.kind) {
    case CellKind::kImpossible:
      return "impossible: " + std::string(cell.impossible);
    case CellKind::kIgnored:
      text = "ignored, counted in " + std::string(Name(*cell.counter));
      break;
    case CellKind::kActs:
      text = cell.next == state ? std::string("stays") : "-> " + std::string(Name(cell.next));
      if (!cell.effect.empty()) text += ": " + std::string(cell.effect);
      break;
  }
  return text + " [" + std::string(Name(cell.clause)) + "]";
}

template <typename State, typename Event>
void Print(std::string_view name, std::string* out) {
  size_t width = 0;
  for (const auto& event : spec::Named<Event>::kAll) width = std::max(width, event.name.size());
  size_t kinds[3] = {};
  std::string cells;
  for (const auto& state : spec::Named<State>::kAll) {
    cells += "\n  " + std::string(state.name) + "\n";
    for (const auto& event : spec::Named<Event>::kAll) {
      const spec::Cell<State>& cell = spec::Lookup(state.value, event.value);
      ++kinds[static_cast<size_t>(cell.kind)];
      cells += "    " + Padded(event.name, width) + "  " + CellText(cell, state.value) + "\n";
    }
  }
  *out += "machine " + std::string(name) + ": " + std::to_string(kinds[0]) + " cells act, " +
          std::to_string(kinds[1]) + " are ignored, " + std::to_string(kinds[2]) +
          " are impossible\n" + cells + "\n";
}

}  // namespace

std::string PrintMachines() {
  std::string out;
  Print<spec::ConnectionState, spec::ConnectionEvent>("connection", &out);
  Print<spec::PathState, spec::PathEvent>("path", &out);
  Print<spec::LadderState, spec::LadderEvent>("ladder", &out);
  Print<spec::ReceivePathState, spec::ReceivePathEvent>("receive_path", &out);
  Print<spec::PathCloseState, spec::PathCloseEvent>("path_close", &out);
  Print<spec::PortStatusState, spec::PortStatusEvent>("port_status", &out);
  Print<spec::CreditState, spec::CreditEvent>("credit", &out);
  out.pop_back();
  return out;
}

}  // namespace metaroce
