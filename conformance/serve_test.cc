#include "conformance/serve.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "conformance/framing.h"
#include "gtest/gtest.h"

namespace metaroce::conformance {
namespace {

// Answers Done, or a message above the limit to a Snapshot.
class Doer : public Handler {
 public:
  void Handle(const dut::Request& request, dut::Answer* answer) override {
    if (request.has_snapshot()) {
      answer->mutable_error()->set_text(std::string(kMaxMessageBytes, 'x'));
    } else {
      answer->mutable_done();
    }
  }
};

struct Served {
  int status;
  std::string output;
};

Served ServeBytes(const std::string& input) {
  int in[2];
  int out[2];
  EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
  Served run = {0, ""};
  std::thread writer([&] {
    size_t written = 0;
    while (written < input.size()) {
      // One byte at a time for short input: every way of cutting a message up.
      const size_t chunk = input.size() < 1000 ? 1 : input.size() - written;
      const ssize_t count = write(in[1], input.data() + written, chunk);
      if (count <= 0) break;
      written += static_cast<size_t>(count);
    }
    close(in[1]);
  });
  std::thread reader([&] {
    char buffer[65536];
    ssize_t count = 0;
    while ((count = read(out[0], buffer, sizeof buffer)) > 0) {
      run.output.append(buffer, static_cast<size_t>(count));
    }
  });
  Doer doer;
  run.status = Serve(doer, in[0], out[1]);
  close(out[1]);
  close(in[0]);
  writer.join();
  reader.join();
  close(out[0]);
  return run;
}

std::string Message(uint32_t id, bool snapshot, bool bye) {
  dut::Request request;
  request.set_id(id);
  if (snapshot) request.mutable_snapshot();
  if (bye) request.mutable_bye();
  return Frame(request.SerializeAsString());
}

TEST(ServeTest, AnswersEachRequestWithItsIdAndEndsAfterBye) {
  const Served run = ServeBytes(Message(7, false, false) + Message(8, false, true));
  EXPECT_EQ(run.status, 0);
  FrameReader reader;
  reader.Append(run.output);
  for (const uint32_t id : {7u, 8u}) {
    std::string message;
    ASSERT_EQ(reader.Next(&message), FrameReader::Result::kMessage);
    dut::Answer answer;
    ASSERT_TRUE(answer.ParseFromString(message));
    EXPECT_EQ(answer.id(), id);
    EXPECT_TRUE(answer.has_done());
  }
  EXPECT_EQ(reader.size(), 0u);
}

TEST(ServeTest, TheEndOfInputIsAnEnd) {
  EXPECT_EQ(ServeBytes("").status, 0);
  EXPECT_EQ(ServeBytes(Message(1, false, false)).status, 0);
}

TEST(ServeTest, AMessageThatIsNoRequestIsAnsweredByErrorAndItGoesOn) {
  const std::string id_and_rubbish = "\x08\x09\xFF\xFF";
  const Served run =
      ServeBytes(Frame("\xFF\xFF") + Frame(id_and_rubbish) + Message(8, false, true));
  EXPECT_EQ(run.status, 0);
  FrameReader reader;
  reader.Append(run.output);
  std::string message;
  dut::Answer answer;
  for (const uint32_t id : {0u, 9u}) {
    ASSERT_EQ(reader.Next(&message), FrameReader::Result::kMessage);
    ASSERT_TRUE(answer.ParseFromString(message));
    EXPECT_EQ(answer.id(), id);
    EXPECT_EQ(answer.error().text(), id == 0
                                         ? "A message of 2 bytes is no Request (CONF-ENCODING)."
                                         : "A message of 4 bytes is no Request (CONF-ENCODING).");
  }
  ASSERT_EQ(reader.Next(&message), FrameReader::Result::kMessage);
  ASSERT_TRUE(answer.ParseFromString(message));
  EXPECT_EQ(answer.id(), 8u);
  EXPECT_TRUE(answer.has_done());
  EXPECT_EQ(reader.size(), 0u);
}

TEST(ServeTest, WhatIsNoSeriesOfMessagesEndsItWithStatusTwo) {
  EXPECT_EQ(ServeBytes("abc").status, 2);
  EXPECT_EQ(ServeBytes(Message(1, false, false).substr(0, 5)).status, 2);
  EXPECT_EQ(ServeBytes(std::string("\xFF\xFF\xFF\xFF", 4)).status, 2);
}

TEST(ServeTest, AnAnswerAboveTheLimitBecomesAnError) {
  const Served run = ServeBytes(Message(5, true, false));
  EXPECT_EQ(run.status, 0);
  FrameReader reader;
  reader.Append(run.output);
  std::string message;
  ASSERT_EQ(reader.Next(&message), FrameReader::Result::kMessage);
  dut::Answer answer;
  ASSERT_TRUE(answer.ParseFromString(message));
  EXPECT_EQ(answer.id(), 5u);
  EXPECT_LT(answer.error().text().size(), 200u);
}

TEST(FramingTest, TheLongestMessageIsTakenAndALongerOneIsNot) {
  FrameReader reader;
  reader.Append(Frame(std::string(kMaxMessageBytes, 'x')));
  std::string message;
  EXPECT_EQ(reader.Next(&message), FrameReader::Result::kMessage);
  EXPECT_EQ(message.size(), kMaxMessageBytes);
  reader.Append(std::string("\x00\x10\x00\x01", 4));
  EXPECT_EQ(reader.Next(&message), FrameReader::Result::kTooLong);
  EXPECT_EQ(reader.announced(), kMaxMessageBytes + 1);
}

TEST(FramingTest, AMessageOfNoBytesIsOne) {
  FrameReader reader;
  reader.Append(Frame(""));
  std::string message = "old";
  EXPECT_EQ(reader.Next(&message), FrameReader::Result::kMessage);
  EXPECT_EQ(message, "");
  EXPECT_EQ(reader.Next(&message), FrameReader::Result::kPartial);
}

}  // namespace
}  // namespace metaroce::conformance
