// A device that is a shared library in this process, behind conformance/abi/metaroce_dut.h.
//
// What the library does with this process nobody can help: it may crash it, stop it, or write where
// it likes. So the runner uses it in a process that may die (conformance/runner/workers.h), where a
// call that does not return is ended too.
#ifndef METAROCE_CONFORMANCE_DUT_LIBRARY_DUT_H_
#define METAROCE_CONFORMANCE_DUT_LIBRARY_DUT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conformance/abi/metaroce_dut.h"
#include "conformance/dut/dut.h"

namespace metaroce::conformance {

// True if `program` is the name of a shared library: it ends with ".so", or has ".so." in its last
// part ("libmine.so.2").
bool IsLibrary(absl::string_view program);

class LibraryDut : public Dut {
 public:
  // The library, searched as dlopen does if it has no '/', and arguments for metaroce_dut_open.
  explicit LibraryDut(std::vector<std::string> command);
  ~LibraryDut() override;
  LibraryDut(const LibraryDut&) = delete;
  LibraryDut& operator=(const LibraryDut&) = delete;

  // Loads the library, closes the device that is open. NotFoundError if it cannot be loaded or
  // lacks a function, FailedPreconditionError if it is of another version of the ABI.
  absl::Status Start() override;
  // Hello opens the device. What the ABI does not allow is a fault of kind kGarbage.
  Fault Ask(const dut::Request& request, dut::Answer* answer) override;
  Fault Quiet() override { return {}; }
  Fault Bye(const dut::Request& bye) override;
  void Kill() override;
  std::string LogTail() override { return ""; }

 private:
  struct Functions;
  // The memory that answers are written to.
  struct Room;

  absl::Status Load();
  Fault Open(const dut::Request& request, dut::Answer* answer);
  metaroce_status Reset(const dut::Request& request);
  metaroce_status Apply(const dut::Request& request);
  metaroce_status Snapshot(const dut::Request& request);
  metaroce_record Fields(const google::protobuf::RepeatedPtrField<dut::Field>& fields);
  Fault Take(metaroce_status status, const dut::Request& request, dut::Answer* answer);

  std::vector<std::string> command_;
  void* library_ = nullptr;
  std::unique_ptr<Functions> functions_;
  std::unique_ptr<Room> room_;
  metaroce_dut* dut_ = nullptr;
  std::vector<metaroce_field> fields_;  // of the request that is made
};

}  // namespace metaroce::conformance

#endif  // METAROCE_CONFORMANCE_DUT_LIBRARY_DUT_H_
