// The connection that the configuration of a vector describes (CONF-ENDPOINT-STATE), from either
// end of it.
#ifndef METAROCE_CONFORMANCE_DUTS_MODEL_SETUP_H_
#define METAROCE_CONFORMANCE_DUTS_MODEL_SETUP_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conformance/duts/model/levels.h"
#include "conformance/duts/model/memory.h"
#include "model/endpoint/endpoint.h"

namespace metaroce::conformance {

class Setup {
 public:
  // What the DUT is. The record was checked (CheckConfig) and outlives this, as below.
  explicit Setup(const FieldList& config) : Setup(config, config, false) {}
  // What the other end is, which has `own` for its memory, windows and ports (CONF-SYSTEM).
  static Setup OfPeer(const FieldList& config, const FieldList& own) {
    return Setup(config, own, true);
  }

  absl::StatusOr<endpoint::Settings> Settings() const;
  // By which this end is addressed.
  uint32_t Cid() const;
  // The other end's port, the same on every plane.
  absl::StatusOr<endpoint::Port> Peer() const { return Port(theirs()); }
  // Opens the connection of an endpoint made of Settings().
  absl::Status Establish(endpoint::Endpoint* endpoint, const endpoint::Step& step) const;
  // The regions, which hold zeros.
  void Register(SparseMemory* memory) const;

 private:
  Setup(const FieldList& config, const FieldList& own, bool of_peer)
      : config_(config), own_(own), of_peer_(of_peer) {}

  const char* ours() const { return of_peer_ ? "peer" : "local"; }
  const char* theirs() const { return of_peer_ ? "local" : "peer"; }
  // The fields of the entries NAME[i], by i.
  std::map<int, std::map<std::string, uint64_t>> Entries(absl::string_view name) const;
  absl::StatusOr<endpoint::Port> Port(absl::string_view side) const;
  spec::Connect Body(absl::string_view side) const;

  const FieldList& config_;
  const FieldList& own_;
  const bool of_peer_;
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUTS_MODEL_SETUP_H_
