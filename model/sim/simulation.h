// A simulation: endpoints at the hosts of a fabric, and what they send.
//
// Every packet goes through the codec: its headers are serialised where it leaves and parsed where
// it arrives, and its payload is a reference, unless Options::whole_frames asks for more. A packet
// that a fault corrupts is written out whole, with its iCRC, and arrives as bytes.
//
// A host hands DATA to its ports while some port that is up has none waiting, and few wait in all;
// ACKs and control packets go before DATA, but for PROBE and PATH_OPEN, which are of its traffic
// class. A connection is used once it is open at both ends: the application passes its keys by
// another way, which takes no time.
//
// Deterministic: the same scenario gives the same packets, times and numbers with every compiler.
#ifndef METAROCE_MODEL_SIM_SIMULATION_H_
#define METAROCE_MODEL_SIM_SIMULATION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "model/endpoint/endpoint.h"
#include "model/fabric/fabric.h"
#include "model/ring.h"
#include "model/sim/event_log.h"
#include "model/sim/metrics.h"
#include "model/sim/scenario.pb.h"

namespace metaroce::sim {

// A connection of a workload.
struct Flow {
  uint32_t workload = 0;
  uint16_t host[2] = {0, 0};               // that posts; the other one
  uint32_t cid[2] = {0, 0};                // 0: not known yet
  uint32_t below[2] = {kNoFlow, kNoFlow};  // place of the layers below at either host, if known
  bool open[2] = {false, false};
  bool failed = false;
  bool stopped = false;  // the end that posts has failed
  uint64_t unique = 0;   // bytes of DATA delivered once, by wire size
  uint64_t unique_packets = 0;
  std::vector<PathCounts> paths[2];  // by path id, of what either end sent
  // By plane and spine: bytes of DATA that arrived in the second half of the time from the first
  // work to the end that the scenario gives.
  std::vector<uint64_t> routes[2];
  Nanoseconds start = 0;
  uint64_t messages = 0;  // to be posted; 0: no end
  uint64_t posted = 0;
  uint64_t completed = 0;
  uint64_t received = 0;  // messages that the other end was told of
  Ring<Nanoseconds> posted_at;
  Nanoseconds first_post = kNever;
  Nanoseconds hinted = kNever;  // when its first right hint arrived, see RightHint
  Pieces pieces;                // of the unique bytes, from the first work on

  bool is_open() const { return open[0] && open[1]; }
  bool done() const { return failed || (messages != 0 && completed == messages); }
};

// Told of what happens, if there is one, besides what an Observer of the fabric is told. Calls come
// in the order in which things happen.
class Listener : public fabric::Observer {
 public:
  virtual void OnArrived(uint32_t /*packet*/) {}
  virtual void OnOpen(const Flow& /*flow*/, int /*end*/) {}
  virtual void OnFailed(const Flow& /*flow*/, int /*end*/, spec::ConnectionCause /*cause*/) {}
  virtual void OnPosted(const Flow& /*flow*/) {}
  virtual void OnCompleted(const Flow& /*flow*/, Nanoseconds /*took*/) {}
  virtual void OnPort(uint32_t /*host*/, uint8_t /*plane*/, bool /*up*/) {}
  // At every multiple of Simulation::Options::sample.
  virtual void OnSample() {}
};

class Simulation {
 public:
  struct Options {
    Nanoseconds sample = 0;  // 0: no samples
    // Packets carry the bytes of their payload and an iCRC, which is checked where they arrive. The
    // same happens, more slowly.
    bool whole_frames = false;
  };
  // InvalidArgumentError as CheckScenario has it.
  static absl::StatusOr<std::unique_ptr<Simulation>> Make(const Scenario& scenario,
                                                          const Options& options);
  ~Simulation();

  void set_listener(Listener* listener);
  // Goes on for at most so many events. False if it is over.
  bool Run(uint64_t events);
  // All work is complete, or it can never be because connections failed.
  bool complete() const { return unfinished_ == 0; }

  const Scenario& scenario() const { return scenario_; }
  fabric::Fabric& fabric() { return *fabric_; }
  const fabric::Fabric& fabric() const { return *fabric_; }
  Nanoseconds now() const { return fabric_->now() / fabric::kPicosecondsPerNanosecond; }
  // When the run ended: at the end that the scenario gives unless all work was complete before, or
  // it was stopped.
  Nanoseconds ended() const { return over_ ? end_ : now(); }
  // When the first message was posted, kNever before.
  Nanoseconds first_work() const { return first_work_; }
  const std::vector<Flow>& flows() const { return flows_; }
  uint32_t IndexOf(const Flow& flow) const { return static_cast<uint32_t>(&flow - flows_.data()); }
  const endpoint::Endpoint& at(uint32_t host) const;
  // The connection of an end of a flow, null before there is one and after its end.
  const endpoint::Connection* ConnectionOf(const Flow& flow, int end) const;

  // Unique bytes that a host received in each window from first_work() on.
  const std::vector<uint64_t>& Windows(uint32_t host) const;
  // True if some flow of a workload brings data to this host.
  bool Receives(uint32_t host) const;
  const ClassCounts& Counts(fabric::PacketClass kind) const {
    return classes_[static_cast<size_t>(kind)];
  }
  uint64_t samples() const { return samples_; }             // steps of the fabric that were none
  uint64_t corrupt() const { return corrupt_; }             // packets that arrived and were refused
  uint64_t duplicated() const { return duplicated_; }       // copies made by faults that arrived
  uint32_t most_paths() const { return most_paths_; }       // ACTIVE at a time, of one direction
  const Distribution& latency() const { return latency_; }  // from post to completion

 private:
  struct Host;
  struct Counter;
  friend struct Host;

  Simulation(const Scenario& scenario, const Options& options);
  absl::Status Prepare();
  fabric::Config FabricConfig() const;
  std::vector<fabric::Fault> Faults() const;
  void MakeFlows();
  void AddFlow(uint32_t workload, uint32_t from, uint32_t to);
  void MakeHosts(const endpoint::Settings& settings);
  // Asks for some more connections, all at time 0. True when all were asked for.
  bool Connect();

  void Deliver(uint32_t packet);
  void ArriveCorrupt(uint32_t packet, Host& host);
  void CountArrival(const fabric::Packet& p, bool placed);
  // The sender of DATA on this flow has a hint within an eighth of its equal share of what the
  // receiver's ports may carry, all flows to that host counted.
  bool RightHint(const Flow& flow, int sender) const;
  // Everything that host can do now, and then all others that this gave something to do.
  void Serve(uint32_t host);
  void Serve(Host& host);
  void ServeOne(Host& host);
  // No further DATA is handed to the ports of a host.
  bool PortsFull(const Host& host) const;
  void Timer(uint32_t index);
  // The host whose timer that is.
  uint32_t HostOfTimer(uint32_t index) const;
  // What happens at a host concerns no other at once, and nobody wants to hear of it in the order
  // of time; once all flows are open.
  bool MaySplit() const;
  void ChangePort(const fabric::Happened& happened);
  void Opened(Host& host, uint32_t cid);
  void TellCompletion(Host& host, uint32_t cid, bool success);
  void Received(Host& host, uint32_t cid);
  void Ended(Host& host, uint32_t cid, const endpoint::Ended& ended);
  void DoDeferred(Host& host);
  void PostMore(Flow& flow);
  // True if the workload posts now; if not, when it next may, kNever if never again.
  bool MayPost(const Flow& flow, Nanoseconds* next) const;
  void PostReceive(Host& host, const Flow& flow);
  void Fail(Flow& flow, int end, spec::ConnectionCause cause);
  void Finished(Flow& flow);

  const Scenario scenario_;
  const Options options_;
  std::unique_ptr<fabric::Fabric> fabric_;
  std::vector<std::unique_ptr<Host>> hosts_;
  std::vector<Flow> flows_;
  std::vector<uint32_t> first_flow_;  // of each workload
  std::vector<uint32_t> to_serve_;
  std::unique_ptr<Counter> counter_;
  Listener* listener_ = nullptr;
  packet::Packet parsed_;  // the one that arrives; here lest it be cleared each time
  std::vector<uint8_t> payload_;
  bool started_ = false;
  bool over_ = false;  // with work left
  Nanoseconds end_ = 0;
  Nanoseconds first_work_ = kNever;
  Nanoseconds half_ = kNever;  // between that and end_
  uint32_t connected_ = 0;     // flows of which CONNECT was asked for
  uint64_t unfinished_ = 0;    // flows
  uint64_t opened_ = 0;        // ends of flows that have been open
  ClassCounts classes_[3];
  uint64_t samples_ = 0;
  uint64_t corrupt_ = 0;
  uint64_t duplicated_ = 0;
  uint32_t most_paths_ = 0;
  Distribution latency_;
};

}  // namespace metaroce::sim

#endif  // METAROCE_MODEL_SIM_SIMULATION_H_
