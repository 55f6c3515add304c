// What a simulation leaves behind besides numbers: a capture of all host links, and a log of
// events.
#ifndef METAROCE_MODEL_SIM_RECORDER_H_
#define METAROCE_MODEL_SIM_RECORDER_H_

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "model/sim/event_log.h"
#include "model/sim/simulation.h"
#include "model/wire/capture/pcapng_writer.h"

namespace metaroce::sim {

// A sample of one path of the connection that is watched.
struct PathSample {
  uint8_t path = 0;
  uint64_t sent = 0;       // DATA packets so far, all transmissions
  uint32_t w = 0;          // Q16.16 packets
  uint32_t alpha = 0;      // congestion, Q16.16
  uint32_t in_flight = 0;  // packets
  Nanoseconds rtt = 0;     // the latest sample, 0 before one
};
struct Sample {
  Nanoseconds at = 0;
  std::vector<PathSample> paths;  // that are open, by id
};

// Listens to a simulation and writes down what it was asked for.
//
// The capture has the interfaces "a0 sent", "a0 received", "a1 sent", ... for host a (the first)
// and planes 0, 1, ...; from 27 hosts on, "h12.0 sent". It holds the headers of each packet; its
// length is that of the whole frame. A packet stands there when its first bit leaves its host, and
// again when its last bit has arrived.
//
// The log has one JSON object a line. "ps" is the time in picoseconds; "event" is one of `sent`,
// `arrived`, `lost` (with `link` and `why`), `marked` (with `link`), `fault`, `port`, `open`,
// `failed`, `posted`, `completed` and `path` (a sample). `packet` counts the packets of a run.
class Recorder : public Listener {
 public:
  struct Options {
    std::ostream* pcapng = nullptr;
    std::ostream* events = nullptr;
    bool samples = false;     // keep those of one end of a connection, for a plot
    uint32_t connection = 0;  // of which
    int end = 0;
  };
  // Both outlive the recorder.
  Recorder(const Simulation& simulation, const Options& options);
  // What is still held back is written.
  void Finish();

  const std::vector<Sample>& samples() const { return samples_; }

  void OnSent(uint32_t packet) override;
  void OnArrived(uint32_t packet) override;
  void OnLost(uint32_t packet, uint32_t link, fabric::Loss why) override;
  void OnMarked(uint32_t packet, uint32_t link) override;
  void OnFault(uint32_t fault, bool begins) override;
  void OnOpen(const Flow& flow, int end) override;
  void OnFailed(const Flow& flow, int end, spec::ConnectionCause cause) override;
  void OnPosted(const Flow& flow) override;
  void OnCompleted(const Flow& flow, Nanoseconds took) override;
  void OnPort(uint32_t host, uint8_t plane, bool up) override;
  void OnSample() override;

 private:
  void Capture(uint32_t packet, bool received);
  // Begins a line of the log.
  void BeginConnection(const char* event, const Flow& flow, int end);
  void FlushCapture();

  const Simulation& sim_;
  const Options options_;
  capture::PcapngWriter writer_;
  std::vector<uint8_t> headers_;
  size_t captured_ = 0;  // bytes in the writer, about
  std::optional<EventLog> log_;
  std::vector<Sample> samples_;
};

// Something on the axis of time, and a word for it.
struct Mark {
  Nanoseconds at = 0;
  std::string word;
};
// When faults begin and end, but for the beginning of the run.
std::vector<Mark> MarksOf(const Scenario& scenario);

// A plot as SVG: what a connection sent on each path, its windows, RTT and packets in flight over
// time. Self-contained: it needs no other file.
std::string ToSvg(const std::vector<Sample>& samples, const std::vector<Mark>& marks,
                  const std::string& title);

}  // namespace metaroce::sim

#endif  // METAROCE_MODEL_SIM_RECORDER_H_
