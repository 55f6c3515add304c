// The device's side of the contract for metaroce_dpi_pkg.sv, whose functions these are.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_split.h"
#include "conformance/dut.pb.h"
#include "conformance/framing.h"
#include "conformance/serve.h"

namespace metaroce::conformance {
namespace {

using DutFields = google::protobuf::RepeatedPtrField<dut::Field>;

enum Kind { kEnd, kReset, kDecode, kEncode, kBlock, kArrive, kPost, kAdvance, kSnapshot };
enum EventKind { kFields = 1, kPacket, kCompletion, kPlacement };

// A device has one pair of streams, and so has the process.
struct Device {
  dut::HelloAnswer about;
  FrameReader reader;
  dut::Request request;
  dut::Answer answer;
  std::string* bytes = nullptr;  // that grow
  bool asked = false;            // and not answered yet
};

Device& Get() {
  static Device* const kDevice = new Device;
  return *kDevice;
}

// Where answers go: standard output as it was when the library was loaded. What else is written
// there from then on, a simulator's banner for instance, goes to the log.
const int kAnswers = [] {
  const int answers = fcntl(1, F_DUPFD_CLOEXEC, 3);
  if (answers >= 0) dup2(2, 1);
  return answers;
}();

// The runner notices, and says so of the vector that was played.
[[noreturn]] void Die(const char* sentence) {
  std::fprintf(stderr, "metaroce_dpi: %s\n", sentence);
  _exit(2);
}

void Send() {
  Device& device = Get();
  if (!device.asked) Die("a request was answered twice, or none was made.");
  device.answer.set_id(device.request.id());
  const std::string message = device.answer.SerializeAsString();
  if (message.size() > kMaxMessageBytes) Die("the answer is longer than a message may be.");
  const std::string out = Frame(message);
  for (size_t sent = 0; sent < out.size();) {
    const ssize_t count = write(kAnswers, out.data() + sent, out.size() - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) Die("standard output cannot be written.");
    sent += static_cast<size_t>(count);
  }
  device.answer.Clear();
  device.bytes = nullptr;
  device.asked = false;
}

// False at the end of the input.
bool Receive() {
  Device& device = Get();
  std::string message;
  while (device.reader.Next(&message) != FrameReader::Result::kMessage) {
    if (device.reader.announced() > kMaxMessageBytes) Die("a request is too long.");
    char buffer[1 << 16];
    const ssize_t count = read(0, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    device.reader.Append({buffer, static_cast<size_t>(count)});
  }
  device.asked = true;
  if (device.request.ParseFromString(message)) return true;
  device.answer.mutable_error()->set_text("this is no request (CONF-ENCODING).");
  Send();
  return Receive();
}

Kind KindOf(const dut::Request& request) {
  switch (request.kind_case()) {
    case dut::Request::kReset:
      return kReset;
    case dut::Request::kAdvance:
      return kAdvance;
    case dut::Request::kSnapshot:
      return kSnapshot;
    default:
      break;
  }
  switch (request.apply().stimulus_case()) {
    case dut::Apply::kDecode:
      return kDecode;
    case dut::Apply::kEncode:
      return kEncode;
    case dut::Apply::kBlock:
      return kBlock;
    case dut::Apply::kArrive:
      return kArrive;
    case dut::Apply::kPost:
      return kPost;
    default:
      return kEnd;
  }
}

const DutFields& Fields() {
  const dut::Request& request = Get().request;
  if (request.has_reset()) return request.reset().config();
  if (request.apply().has_encode()) return request.apply().encode().field();
  if (request.apply().has_post()) return request.apply().post().field();
  return request.apply().block().field();
}

const dut::Field* Find(const std::string& name) {
  for (const dut::Field& field : Fields()) {
    if (field.name() == name) return &field;
  }
  return nullptr;
}

const std::string& Bytes(const std::string& name) {
  static const std::string* const kNone = new std::string;
  const dut::Apply& apply = Get().request.apply();
  if (name.empty()) return apply.has_decode() ? apply.decode().frame() : apply.arrive().frame();
  const dut::Field* const field = Find(name);
  return field == nullptr ? *kNone : field->data();
}

dut::Event& LastEvent() {
  dut::Done& done = *Get().answer.mutable_done();
  if (done.event_size() == 0) Die("something is put into an answer without an event.");
  return *done.mutable_event(done.event_size() - 1);
}

dut::Field& AddField(const char* name) {
  dut::Event& event = LastEvent();
  dut::Field& field = event.has_completion() ? *event.mutable_completion()->add_field()
                                             : *event.mutable_fields()->add_field();
  field.set_name(name);
  return field;
}

}  // namespace
}  // namespace metaroce::conformance

using namespace metaroce::conformance;  // NOLINT: what follows belongs to it, but for its names

extern "C" {

void metaroce_open(const char* name, const char* version, const char* capabilities) {
  metaroce::dut::HelloAnswer& about = Get().about;
  about.set_contract(kContractVersion);
  about.set_name(name);
  about.set_version(version);
  for (const absl::string_view word : absl::StrSplit(capabilities, ' ', absl::SkipEmpty())) {
    about.add_capability(std::string(word));
  }
}

int metaroce_next() {
  Device& device = Get();
  if (device.asked) Die("the next request is asked for before the one before is answered.");
  while (Receive()) {
    if (device.request.has_hello()) {
      *device.answer.mutable_hello() = device.about;
      Send();
      continue;
    }
    if (device.request.has_bye()) {
      device.answer.mutable_done();
      Send();
      return kEnd;
    }
    const Kind kind = KindOf(device.request);
    if (kind != kEnd) return kind;
    device.answer.mutable_error()->set_text("the request asks for nothing.");
    Send();
  }
  return kEnd;
}

uint64_t metaroce_time() {
  const metaroce::dut::Request& request = Get().request;
  return request.has_advance() ? request.advance().to_ns() : request.apply().at_ns();
}

const char* metaroce_vector() { return Get().request.vector().c_str(); }
const char* metaroce_level() { return Get().request.reset().level().c_str(); }
const char* metaroce_block() { return Get().request.reset().block().c_str(); }

uint64_t metaroce_number(const char* name, uint64_t otherwise) {
  const metaroce::dut::Field* const field = Find(name);
  return field != nullptr && field->has_number() ? field->number() : otherwise;
}

int metaroce_is_word(const char* name, const char* word) {
  const metaroce::dut::Field* const field = Find(name);
  return field != nullptr && field->has_word() && field->word() == word ? 1 : 0;
}

int metaroce_size(const char* name) { return static_cast<int>(Bytes(name).size()); }

int metaroce_byte(const char* name, int at) {
  const std::string& bytes = Bytes(name);
  const auto place = static_cast<size_t>(at);
  return at >= 0 && place < bytes.size() ? static_cast<uint8_t>(bytes[place]) : 0;
}

int metaroce_plane() { return static_cast<int>(Get().request.apply().arrive().plane()); }

void metaroce_event(int kind, uint64_t at_ns) {
  metaroce::dut::Event& event = *Get().answer.mutable_done()->add_event();
  event.set_at_ns(at_ns);
  switch (kind) {
    case kPacket:
      event.mutable_packet();
      break;
    case kCompletion:
      event.mutable_completion();
      break;
    case kPlacement:
      event.mutable_placement();
      break;
    default:
      event.mutable_fields();
  }
}

void metaroce_put_number(const char* name, uint64_t number) { AddField(name).set_number(number); }
void metaroce_put_word(const char* name, const char* word) { AddField(name).set_word(word); }

void metaroce_put_data(const char* name) {
  metaroce::dut::Event& event = LastEvent();
  Get().bytes = name[0] != '\0'         ? AddField(name).mutable_data()
                : event.has_placement() ? event.mutable_placement()->mutable_data()
                                        : event.mutable_packet()->mutable_frame();
}

void metaroce_put_byte(int value) {
  if (Get().bytes == nullptr) Die("a byte is put before metaroce_put_data.");
  Get().bytes->push_back(static_cast<char>(value));
}

void metaroce_put_place(uint64_t place) {
  metaroce::dut::Event& event = LastEvent();
  if (event.has_placement()) {
    event.mutable_placement()->set_address(place);
  } else {
    event.mutable_packet()->set_plane(static_cast<uint32_t>(place));
  }
}

void metaroce_done() {
  Get().answer.mutable_done();
  Send();
}

void metaroce_reject(const char* reason) {
  Get().answer.mutable_reject()->set_code(reason);
  Send();
}

void metaroce_error(const char* sentence) {
  Get().answer.mutable_error()->set_text(sentence);
  Send();
}

}  // extern "C"
