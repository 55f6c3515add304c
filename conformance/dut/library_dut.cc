#include "conformance/dut/library_dut.h"

#include <dlfcn.h>

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "conformance/serve.h"
#include "vectors/text.h"

namespace metaroce::conformance {
namespace {

using vectors::Printable;
using vectors::Shorten;

// A text of the library's, as far as it can be taken for one.
std::string Text(const char* text) {
  if (text == nullptr) return "";
  return std::string(text, strnlen(text, METAROCE_MAX_TEXT));
}

Fault Garbage(absl::string_view what) {
  return {FaultKind::kGarbage, absl::StrCat("The DUT's answer ", what, ".")};
}

bool Inside(uint32_t at, uint32_t size, uint32_t count) {
  return at <= count && size <= count - at;
}

}  // namespace

bool IsLibrary(absl::string_view program) {
  const absl::string_view name = program.substr(program.rfind('/') + 1);
  return absl::EndsWith(name, ".so") || absl::StrContains(name, ".so.");
}

struct LibraryDut::Functions {
  decltype(&metaroce_dut_abi) abi = nullptr;
  decltype(&metaroce_dut_open) open = nullptr;
  decltype(&metaroce_dut_reset) reset = nullptr;
  decltype(&metaroce_dut_apply) apply = nullptr;
  decltype(&metaroce_dut_advance) advance = nullptr;
  decltype(&metaroce_dut_snapshot) snapshot = nullptr;
  decltype(&metaroce_dut_close) close = nullptr;
};

struct LibraryDut::Room {
  Room() : events(METAROCE_MAX_EVENTS), values(METAROCE_MAX_VALUES), bytes(METAROCE_MAX_BYTES) {
    Clear();
  }

  // The library may have written anything there.
  void Clear() {
    answer.events = events.data();
    answer.values = values.data();
    answer.bytes = bytes.data();
    answer.event_capacity = METAROCE_MAX_EVENTS;
    answer.value_capacity = METAROCE_MAX_VALUES;
    answer.byte_capacity = METAROCE_MAX_BYTES;
    answer.event_count = answer.value_count = answer.byte_count = answer.overflow = 0;
    answer.text[0] = '\0';
  }

  // Why the places in the answer are none; nothing if all lie inside.
  Fault Check() const {
    if (answer.overflow != 0) return Garbage("does not fit into an answer of the ABI");
    if (answer.event_count > METAROCE_MAX_EVENTS || answer.value_count > METAROCE_MAX_VALUES ||
        answer.byte_count > METAROCE_MAX_BYTES) {
      return Garbage("counts more than its capacity");
    }
    for (uint32_t i = 0; i < answer.value_count; ++i) {
      const metaroce_value& value = values[i];
      if (value.kind < METAROCE_NUMBER || value.kind > METAROCE_WORD ||
          !Inside(value.name_at, value.name_size, answer.byte_count) ||
          !Inside(value.bytes_at, value.size, answer.byte_count)) {
        return Garbage(absl::StrCat("has a value ", i, " of no kind or outside of its bytes"));
      }
    }
    for (uint32_t i = 0; i < answer.event_count; ++i) {
      const metaroce_event& event = events[i];
      if (event.kind < METAROCE_FIELDS || event.kind > METAROCE_PLACEMENT ||
          !Inside(event.first_field, event.field_count, answer.value_count) ||
          !Inside(event.bytes_at, event.size, answer.byte_count)) {
        return Garbage(absl::StrCat("has an event ", i, " of no kind or outside of its arrays"));
      }
    }
    return {};
  }

  void Give(uint32_t at, uint32_t size, std::string* out) const {
    out->assign(reinterpret_cast<const char*>(bytes.data()) + at, size);
  }

  void GiveFields(const metaroce_event& event,
                  google::protobuf::RepeatedPtrField<dut::Field>* out) const {
    out->Reserve(static_cast<int>(event.field_count));
    for (uint32_t i = event.first_field; i < event.first_field + event.field_count; ++i) {
      const metaroce_value& value = values[i];
      dut::Field* field = out->Add();
      Give(value.name_at, value.name_size, field->mutable_name());
      if (value.kind == METAROCE_NUMBER) {
        field->set_number(value.number);
      } else if (value.kind == METAROCE_DATA) {
        Give(value.bytes_at, value.size, field->mutable_data());
      } else {
        Give(value.bytes_at, value.size, field->mutable_word());
      }
    }
  }

  void GiveEvents(dut::Done* done) const {
    for (uint32_t i = 0; i < answer.event_count; ++i) {
      const metaroce_event& from = events[i];
      dut::Event* event = done->add_event();
      event->set_at_ns(from.at_ns);
      switch (from.kind) {
        case METAROCE_FIELDS:
          GiveFields(from, event->mutable_fields()->mutable_field());
          break;
        case METAROCE_COMPLETION:
          GiveFields(from, event->mutable_completion()->mutable_field());
          break;
        case METAROCE_PACKET:
          event->mutable_packet()->set_plane(from.plane);
          Give(from.bytes_at, from.size, event->mutable_packet()->mutable_frame());
          break;
        default:
          event->mutable_placement()->set_address(from.address);
          Give(from.bytes_at, from.size, event->mutable_placement()->mutable_data());
      }
    }
  }

  std::vector<metaroce_event> events;
  std::vector<metaroce_value> values;
  std::vector<uint8_t> bytes;
  metaroce_answer answer;
};

LibraryDut::LibraryDut(std::vector<std::string> command)
    : command_(std::move(command)), room_(std::make_unique<Room>()) {}

// The library stays loaded: what its threads and handlers at exit do afterwards is not known.
LibraryDut::~LibraryDut() { Kill(); }

absl::Status LibraryDut::Load() {
  if (command_.empty()) return absl::InvalidArgumentError("No library is named that is the DUT.");
  const std::string shown = absl::StrCat("The DUT \"", Printable(command_[0]), "\" ");
  library_ = dlopen(command_[0].c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    return absl::NotFoundError(
        absl::StrCat(shown, "cannot be loaded: ", Printable(Shorten(Text(dlerror()), 300))));
  }
  auto functions = std::make_unique<Functions>();
  std::string missing;
  const auto find = [&](const char* name, auto* function) {
    *function = reinterpret_cast<std::remove_pointer_t<decltype(function)>>(dlsym(library_, name));
    if (*function == nullptr && missing.empty()) missing = name;
  };
  find("metaroce_dut_abi", &functions->abi);
  find("metaroce_dut_open", &functions->open);
  find("metaroce_dut_reset", &functions->reset);
  find("metaroce_dut_apply", &functions->apply);
  find("metaroce_dut_advance", &functions->advance);
  find("metaroce_dut_snapshot", &functions->snapshot);
  find("metaroce_dut_close", &functions->close);
  if (!missing.empty()) {
    return absl::NotFoundError(absl::StrCat(shown, "has no function ", missing, "."));
  }
  const uint32_t version = functions->abi();
  if (version != METAROCE_DUT_ABI) {
    return absl::FailedPreconditionError(absl::StrCat(shown, "was built for version ", version,
                                                      " of metaroce_dut.h; the runner has version ",
                                                      METAROCE_DUT_ABI, "."));
  }
  functions_ = std::move(functions);
  return absl::OkStatus();
}

absl::Status LibraryDut::Start() {
  Kill();
  return functions_ == nullptr ? Load() : absl::OkStatus();
}

void LibraryDut::Kill() {
  if (dut_ != nullptr) functions_->close(std::exchange(dut_, nullptr));
}

Fault LibraryDut::Bye(const dut::Request&) {
  Kill();
  return {};
}

metaroce_record LibraryDut::Fields(const google::protobuf::RepeatedPtrField<dut::Field>& fields) {
  fields_.clear();
  for (const dut::Field& field : fields) {
    metaroce_field out = {field.name().c_str(), METAROCE_NUMBER, 0, field.number(), nullptr};
    if (field.value_case() == dut::Field::kData || field.value_case() == dut::Field::kWord) {
      const bool word = field.value_case() == dut::Field::kWord;
      const std::string& bytes = word ? field.word() : field.data();
      out.kind = word ? METAROCE_WORD : METAROCE_DATA;
      out.size = static_cast<uint32_t>(bytes.size());
      out.bytes = reinterpret_cast<const uint8_t*>(bytes.c_str());
    }
    fields_.push_back(out);
  }
  return {fields_.data(), fields_.size()};
}

Fault LibraryDut::Open(const dut::Request& request, dut::Answer* answer) {
  std::vector<const char*> arguments;
  for (size_t i = 1; i < command_.size(); ++i) arguments.push_back(command_[i].c_str());
  const metaroce_hello hello = {request.hello().contract(), request.hello().spec_version().c_str(),
                                request.hello().spec_hash().c_str(),
                                static_cast<int>(arguments.size()), arguments.data()};
  const metaroce_about* about = nullptr;
  const metaroce_status status = functions_->open(&hello, &dut_, &about, &room_->answer);
  if (status != METAROCE_DONE) {
    dut_ = nullptr;
    if (status == METAROCE_ERROR) {
      answer->mutable_error()->set_text(Text(room_->answer.text));
      return {};
    }
    return Garbage(absl::StrCat("to metaroce_dut_open has the status ", status));
  }
  if (dut_ == nullptr || about == nullptr) {
    return Garbage("to metaroce_dut_open sets no handle or says nothing of itself");
  }
  dut::HelloAnswer& out = *answer->mutable_hello();
  out.set_contract(about->contract);
  out.set_name(Text(about->name));
  out.set_version(Text(about->version));
  out.set_spec_hash(Text(about->spec_hash));
  for (size_t i = 0; i < about->capability_count; ++i) {
    out.add_capability(Text(about->capabilities[i]));
  }
  for (size_t i = 0; i < about->profile.count; ++i) {
    dut::Field& field = *out.add_profile();
    field.set_name(Text(about->profile.fields[i].name));
    field.set_number(about->profile.fields[i].number);
  }
  return {};
}

metaroce_status LibraryDut::Reset(const dut::Request& request) {
  const dut::Reset& from = request.reset();
  const metaroce_reset reset = {request.vector().c_str(), from.level().c_str(),
                                from.block().c_str(), Fields(from.config())};
  return functions_->reset(dut_, &reset, &room_->answer);
}

metaroce_status LibraryDut::Apply(const dut::Request& request) {
  const dut::Apply& from = request.apply();
  metaroce_stimulus stimulus = {};
  stimulus.at_ns = from.at_ns();
  stimulus.step = request.step();
  const auto frame = [&](const std::string& bytes) {
    stimulus.frame = reinterpret_cast<const uint8_t*>(bytes.data());
    stimulus.frame_size = bytes.size();
  };
  switch (from.stimulus_case()) {
    case dut::Apply::kDecode:
      stimulus.kind = METAROCE_DECODE;
      frame(from.decode().frame());
      break;
    case dut::Apply::kEncode:
      stimulus.kind = METAROCE_ENCODE;
      stimulus.fields = Fields(from.encode().field());
      break;
    case dut::Apply::kBlock:
      stimulus.kind = METAROCE_BLOCK;
      stimulus.fields = Fields(from.block().field());
      break;
    case dut::Apply::kArrive:
      stimulus.kind = METAROCE_ARRIVE;
      stimulus.plane = from.arrive().plane();
      frame(from.arrive().frame());
      break;
    case dut::Apply::kPost:
      stimulus.kind = METAROCE_POST;
      stimulus.fields = Fields(from.post().field());
      break;
    case dut::Apply::STIMULUS_NOT_SET:
      break;
  }
  return functions_->apply(dut_, &stimulus, &room_->answer);
}

metaroce_status LibraryDut::Snapshot(const dut::Request& request) {
  std::vector<const char*> names;
  for (const std::string& name : request.snapshot().name()) names.push_back(name.c_str());
  return functions_->snapshot(dut_, names.data(), names.size(), &room_->answer);
}

Fault LibraryDut::Take(metaroce_status status, const dut::Request& request, dut::Answer* answer) {
  Fault fault = room_->Check();
  if (!fault.ok()) return fault;
  switch (status) {
    case METAROCE_DONE:
      room_->GiveEvents(answer->mutable_done());
      return {};
    case METAROCE_REJECT:
      answer->mutable_reject()->set_code(Text(room_->answer.text));
      return {};
    case METAROCE_UNSUPPORTED:
      answer->mutable_unsupported()->set_capability(Text(room_->answer.text));
      return {};
    case METAROCE_ERROR:
      answer->mutable_error()->set_text(Text(room_->answer.text));
      return {};
  }
  return Garbage(absl::StrCat("to request ", request.id(), " has the status ", status,
                              ", which the ABI does not have"));
}

//= CONF-LIBRARY
//# Each function stands for a request, and what it returns and writes for the answer
Fault LibraryDut::Ask(const dut::Request& request, dut::Answer* answer) {
  answer->Clear();
  answer->set_id(request.id());
  room_->Clear();
  if (request.has_hello()) return Open(request, answer);
  if (dut_ == nullptr) return {FaultKind::kDied, "The DUT is not open."};
  switch (request.kind_case()) {
    case dut::Request::kReset:
      return Take(Reset(request), request, answer);
    case dut::Request::kApply:
      return Take(Apply(request), request, answer);
    case dut::Request::kAdvance:
      return Take(functions_->advance(dut_, request.advance().to_ns(), &room_->answer), request,
                  answer);
    case dut::Request::kSnapshot:
      return Take(Snapshot(request), request, answer);
    default:
      break;
  }
  return Garbage("was asked for by a request that the ABI does not have");
}

}  // namespace metaroce::conformance
