#include "conformance/abi/export_handler.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "google/protobuf/arena.h"
#include "google/protobuf/repeated_ptr_field.h"

// What the opaque handle stands for.
struct metaroce_dut {
  std::unique_ptr<metaroce::conformance::Handler> handler;
  // What the handler said of itself, and the C form of it, which points there.
  metaroce::dut::HelloAnswer hello;
  std::vector<const char*> capabilities;
  std::vector<metaroce_field> profile;
  metaroce_about about;
  // One request that is filled again and again, and the room for one answer.
  metaroce::dut::Request request;
  alignas(8) char room[16384];
  google::protobuf::Arena answers{RoomOptions(room, sizeof room)};

  static google::protobuf::ArenaOptions RoomOptions(char* room, size_t size) {
    google::protobuf::ArenaOptions options;
    options.initial_block = room;
    options.initial_block_size = size;
    return options;
  }
};

namespace metaroce::conformance {
namespace {

using DutFields = google::protobuf::RepeatedPtrField<dut::Field>;

void Keep(const uint8_t* bytes, size_t size, std::string* out) {
  out->clear();
  if (size > 0) out->assign(reinterpret_cast<const char*>(bytes), size);
}

void TakeFields(const metaroce_record& record, DutFields* out) {
  out->Clear();
  for (size_t i = 0; i < record.count; ++i) {
    const metaroce_field& from = record.fields[i];
    dut::Field* field = out->Add();
    field->mutable_name()->assign(from.name);
    switch (from.kind) {
      case METAROCE_NUMBER:
        field->set_number(from.number);
        break;
      case METAROCE_DATA:
        Keep(from.bytes, from.size, field->mutable_data());
        break;
      case METAROCE_WORD:
        Keep(from.bytes, from.size, field->mutable_word());
        break;
    }
  }
}

void GiveFields(const DutFields& fields, metaroce_answer* answer) {
  for (const dut::Field& field : fields) {
    switch (field.value_case()) {
      case dut::Field::kNumber:
        metaroce_add_number(answer, field.name().c_str(), field.number());
        break;
      case dut::Field::kData:
        metaroce_add_data(answer, field.name().c_str(), field.data().data(), field.data().size());
        break;
      case dut::Field::kWord:
        metaroce_add_word(answer, field.name().c_str(), field.word().c_str());
        break;
      case dut::Field::VALUE_NOT_SET:
        break;
    }
  }
}

void GiveEvent(const dut::Event& event, metaroce_answer* answer) {
  switch (event.kind_case()) {
    case dut::Event::kFields:
      metaroce_add_event(answer, METAROCE_FIELDS, event.at_ns());
      GiveFields(event.fields().field(), answer);
      break;
    case dut::Event::kPacket:
      metaroce_add_packet(answer, event.at_ns(), event.packet().plane(),
                          event.packet().frame().data(), event.packet().frame().size());
      break;
    case dut::Event::kCompletion:
      metaroce_add_event(answer, METAROCE_COMPLETION, event.at_ns());
      GiveFields(event.completion().field(), answer);
      break;
    case dut::Event::kPlacement:
      metaroce_add_placement(answer, event.at_ns(), event.placement().address(),
                             event.placement().data().data(), event.placement().data().size());
      break;
    case dut::Event::KIND_NOT_SET:
      break;
  }
}

metaroce_status Give(const dut::Answer& from, metaroce_answer* answer) {
  switch (from.kind_case()) {
    case dut::Answer::kDone:
      for (const dut::Event& event : from.done().event()) GiveEvent(event, answer);
      return METAROCE_DONE;
    case dut::Answer::kReject:
      return metaroce_say(answer, METAROCE_REJECT, from.reject().code().c_str());
    case dut::Answer::kUnsupported:
      return metaroce_say(answer, METAROCE_UNSUPPORTED, from.unsupported().capability().c_str());
    case dut::Answer::kError:
      return metaroce_say(answer, METAROCE_ERROR, from.error().text().c_str());
    default:
      return metaroce_say(answer, METAROCE_ERROR, "the handler answered nothing.");
  }
}

// Has the handler answer `dut->request`.
metaroce_status Answer(metaroce_dut* dut, metaroce_answer* answer) {
  dut->answers.Reset();
  auto* const said = google::protobuf::Arena::CreateMessage<dut::Answer>(&dut->answers);
  dut->handler->Handle(dut->request, said);
  return Give(*said, answer);
}

void SetAbout(metaroce_dut* dut) {
  for (const std::string& name : dut->hello.capability()) dut->capabilities.push_back(name.c_str());
  for (const dut::Field& field : dut->hello.profile()) {
    dut->profile.push_back({field.name().c_str(), METAROCE_NUMBER, 0, field.number(), nullptr});
  }
  metaroce_about& about = dut->about;
  about.contract = dut->hello.contract();
  about.name = dut->hello.name().c_str();
  about.version = dut->hello.version().c_str();
  about.spec_hash = dut->hello.spec_hash().c_str();
  about.capabilities = dut->capabilities.data();
  about.capability_count = dut->capabilities.size();
  about.profile = {dut->profile.data(), dut->profile.size()};
}

}  // namespace

metaroce_status OpenHandler(MakeHandler make, const metaroce_hello* hello, metaroce_dut** dut,
                            const metaroce_about** about, metaroce_answer* answer) {
  absl::StatusOr<std::unique_ptr<Handler>> handler =
      make(absl::MakeConstSpan(hello->arguments, static_cast<size_t>(hello->argument_count)));
  if (!handler.ok()) {
    return metaroce_say(answer, METAROCE_ERROR, std::string(handler.status().message()).c_str());
  }
  auto made = std::make_unique<metaroce_dut>();
  made->handler = *std::move(handler);
  dut::Hello& request = *made->request.mutable_hello();
  request.set_contract(hello->contract);
  request.set_spec_version(hello->spec_version);
  request.set_spec_hash(hello->spec_hash);
  const dut::Answer said = made->handler->Handle(made->request);
  if (!said.has_hello()) return Give(said, answer);
  made->hello = said.hello();
  SetAbout(made.get());
  *about = &made->about;
  *dut = made.release();
  return METAROCE_DONE;
}

metaroce_status ResetHandler(metaroce_dut* dut, const metaroce_reset* reset,
                             metaroce_answer* answer) {
  dut->request.set_vector(reset->vector);
  dut->request.set_step(0);
  dut::Reset& request = *dut->request.mutable_reset();
  request.set_level(reset->level);
  request.set_block(reset->block);
  TakeFields(reset->config, request.mutable_config());
  return Answer(dut, answer);
}

metaroce_status ApplyHandler(metaroce_dut* dut, const metaroce_stimulus* stimulus,
                             metaroce_answer* answer) {
  dut->request.set_step(stimulus->step);
  dut::Apply& apply = *dut->request.mutable_apply();
  apply.set_at_ns(stimulus->at_ns);
  switch (stimulus->kind) {
    case METAROCE_DECODE:
      Keep(stimulus->frame, stimulus->frame_size, apply.mutable_decode()->mutable_frame());
      break;
    case METAROCE_ENCODE:
      TakeFields(stimulus->fields, apply.mutable_encode()->mutable_field());
      break;
    case METAROCE_BLOCK:
      TakeFields(stimulus->fields, apply.mutable_block()->mutable_field());
      break;
    case METAROCE_ARRIVE:
      apply.mutable_arrive()->set_plane(stimulus->plane);
      Keep(stimulus->frame, stimulus->frame_size, apply.mutable_arrive()->mutable_frame());
      break;
    case METAROCE_POST:
      TakeFields(stimulus->fields, apply.mutable_post()->mutable_field());
      break;
    default:
      return metaroce_say(answer, METAROCE_ERROR,
                          absl::StrCat("there is no stimulus ", stimulus->kind, ".").c_str());
  }
  return Answer(dut, answer);
}

metaroce_status AdvanceHandler(metaroce_dut* dut, uint64_t to_ns, metaroce_answer* answer) {
  dut->request.mutable_advance()->set_to_ns(to_ns);
  return Answer(dut, answer);
}

metaroce_status SnapshotHandler(metaroce_dut* dut, const char* const* names, size_t count,
                                metaroce_answer* answer) {
  dut::Snapshot& snapshot = *dut->request.mutable_snapshot();
  snapshot.clear_name();
  for (size_t i = 0; i < count; ++i) snapshot.add_name(names[i]);
  return Answer(dut, answer);
}

void CloseHandler(metaroce_dut* dut) {
  if (dut == nullptr) return;
  dut->request.mutable_bye();
  const dut::Answer answer = dut->handler->Handle(dut->request);
  (void)answer;  // the ABI's Bye has none
  delete dut;
}

}  // namespace metaroce::conformance
