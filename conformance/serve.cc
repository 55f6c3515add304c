#include "conformance/serve.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "conformance/framing.h"

namespace metaroce::conformance {
namespace {

int Complain(const std::string& sentence) {
  std::fprintf(stderr, "%s\n", sentence.c_str());
  return 2;
}

bool WriteAll(int out, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(out, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

//= CONF-ERROR
//# A DUT that cannot do what is asked, or cannot read a message, answers `Error` with a sentence,
//# and goes on with the next request.
void SayNoRequest(size_t size, dut::Answer* answer) {
  answer->mutable_error()->set_text(
      absl::StrCat("A message of ", size, " bytes is no Request (CONF-ENCODING)."));
}

std::string Serialized(const dut::Answer& answer) {
  std::string bytes = answer.SerializeAsString();
  if (bytes.size() <= kMaxMessageBytes) return bytes;
  dut::Answer error;
  error.set_id(answer.id());
  error.mutable_error()->set_text(absl::StrCat("The answer has ", bytes.size(), " bytes; at most ",
                                               kMaxMessageBytes, " can be sent."));
  return error.SerializeAsString();
}

}  // namespace

int Serve(Handler& handler, int in, int out) {
  FrameReader reader;
  std::string message;
  char buffer[1 << 16];
  while (true) {
    switch (reader.Next(&message)) {
      case FrameReader::Result::kTooLong:
        return Complain(absl::StrCat("A request of ", reader.announced(),
                                     " bytes is announced; at most ", kMaxMessageBytes,
                                     " are read."));
      case FrameReader::Result::kPartial: {
        const ssize_t count = read(in, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return Complain(absl::StrCat("Cannot read: ", std::strerror(errno), "."));
        if (count == 0) {
          return reader.size() == 0 ? 0 : Complain("The input ends in the middle of a request.");
        }
        reader.Append(absl::string_view(buffer, static_cast<size_t>(count)));
        continue;
      }
      case FrameReader::Result::kMessage:
        break;
    }
    dut::Request request;
    //= CONF-ENCODING
    //# A message is a `Request` or an `Answer` of `conformance/dut.proto` in the binary form of
    //# Protocol Buffers.
    const bool parsed = request.ParseFromString(message);
    dut::Answer answer;
    if (parsed) {
      handler.Handle(request, &answer);
    } else {
      SayNoRequest(message.size(), &answer);
    }
    answer.set_id(request.id());  // also what was read of a message before it made no sense
    if (!WriteAll(out, Frame(Serialized(answer)))) {
      return Complain(absl::StrCat("Cannot write: ", std::strerror(errno), "."));
    }
    if (parsed && request.has_bye()) return 0;
  }
}

}  // namespace metaroce::conformance
