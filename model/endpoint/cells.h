// Which cells of the machines were entered: their places among the hits of a step, behind those of
// the clauses.
#ifndef METAROCE_MODEL_ENDPOINT_CELLS_H_
#define METAROCE_MODEL_ENDPOINT_CELLS_H_

#include <bitset>
#include <cstddef>

#include "spec/tables.h"

namespace metaroce::endpoint {

inline constexpr size_t kClauses = spec::Named<spec::Clause>::kAll.size();

// The cells of a machine, from place `first` on.
template <size_t first, typename S, typename E>
struct MachineCells {
  using State = S;
  using Event = E;
  static constexpr size_t kEvents = spec::Named<Event>::kAll.size();
  static constexpr size_t kEnd = first + spec::Named<State>::kAll.size() * kEvents;

  static constexpr size_t Of(State state, Event event) {
    return first + static_cast<size_t>(state) * kEvents + static_cast<size_t>(event);
  }
};

using ConnectionCells = MachineCells<kClauses, spec::ConnectionState, spec::ConnectionEvent>;
using PathCells = MachineCells<ConnectionCells::kEnd, spec::PathState, spec::PathEvent>;
using LadderCells = MachineCells<PathCells::kEnd, spec::LadderState, spec::LadderEvent>;
using ReceivePathCells =
    MachineCells<LadderCells::kEnd, spec::ReceivePathState, spec::ReceivePathEvent>;
using PathCloseCells =
    MachineCells<ReceivePathCells::kEnd, spec::PathCloseState, spec::PathCloseEvent>;
using PortStatusCells =
    MachineCells<PathCloseCells::kEnd, spec::PortStatusState, spec::PortStatusEvent>;
using CreditCells = MachineCells<PortStatusCells::kEnd, spec::CreditState, spec::CreditEvent>;

// Clauses whose code ran, and cells that were entered.
using Hits = std::bitset<CreditCells::kEnd>;

constexpr size_t CellOf(spec::ConnectionState state, spec::ConnectionEvent event) {
  return ConnectionCells::Of(state, event);
}
constexpr size_t CellOf(spec::PathState state, spec::PathEvent event) {
  return PathCells::Of(state, event);
}
constexpr size_t CellOf(spec::LadderState state, spec::LadderEvent event) {
  return LadderCells::Of(state, event);
}
constexpr size_t CellOf(spec::ReceivePathState state, spec::ReceivePathEvent event) {
  return ReceivePathCells::Of(state, event);
}
constexpr size_t CellOf(spec::PathCloseState state, spec::PathCloseEvent event) {
  return PathCloseCells::Of(state, event);
}
constexpr size_t CellOf(spec::PortStatusState state, spec::PortStatusEvent event) {
  return PortStatusCells::Of(state, event);
}
constexpr size_t CellOf(spec::CreditState state, spec::CreditEvent event) {
  return CreditCells::Of(state, event);
}

}  // namespace metaroce::endpoint

#endif  // METAROCE_MODEL_ENDPOINT_CELLS_H_
