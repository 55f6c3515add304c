// A Handler (conformance/serve.h) behind the C ABI of metaroce_dut.h, for devices written in C++:
// in one file of the shared library,
//
//   METAROCE_EXPORT_HANDLER(MakeMine)
//
// where MakeMine is a function
//
//   absl::StatusOr<std::unique_ptr<Handler>> MakeMine(absl::Span<const char* const> arguments);
//
// which gets what stands behind the library in --dut.
#ifndef METAROCE_CONFORMANCE_ABI_EXPORT_HANDLER_H_
#define METAROCE_CONFORMANCE_ABI_EXPORT_HANDLER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "conformance/abi/metaroce_dut.h"
#include "conformance/serve.h"

namespace metaroce::conformance {

using MakeHandler = absl::StatusOr<std::unique_ptr<Handler>> (*)(absl::Span<const char* const>);

metaroce_status OpenHandler(MakeHandler make, const metaroce_hello* hello, metaroce_dut** dut,
                            const metaroce_about** about, metaroce_answer* answer);
metaroce_status ResetHandler(metaroce_dut* dut, const metaroce_reset* reset,
                             metaroce_answer* answer);
metaroce_status ApplyHandler(metaroce_dut* dut, const metaroce_stimulus* stimulus,
                             metaroce_answer* answer);
metaroce_status AdvanceHandler(metaroce_dut* dut, uint64_t to_ns, metaroce_answer* answer);
metaroce_status SnapshotHandler(metaroce_dut* dut, const char* const* names, size_t count,
                                metaroce_answer* answer);
void CloseHandler(metaroce_dut* dut);

}  // namespace metaroce::conformance

#define METAROCE_EXPORT_HANDLER(make)                                                              \
  uint32_t metaroce_dut_abi(void) { return METAROCE_DUT_ABI; }                                     \
  metaroce_status metaroce_dut_open(const metaroce_hello* hello, metaroce_dut** dut,               \
                                    const metaroce_about** about, metaroce_answer* answer) {       \
    return metaroce::conformance::OpenHandler(make, hello, dut, about, answer);                    \
  }                                                                                                \
  metaroce_status metaroce_dut_reset(metaroce_dut* dut, const metaroce_reset* reset,               \
                                     metaroce_answer* answer) {                                    \
    return metaroce::conformance::ResetHandler(dut, reset, answer);                                \
  }                                                                                                \
  metaroce_status metaroce_dut_apply(metaroce_dut* dut, const metaroce_stimulus* stimulus,         \
                                     metaroce_answer* answer) {                                    \
    return metaroce::conformance::ApplyHandler(dut, stimulus, answer);                             \
  }                                                                                                \
  metaroce_status metaroce_dut_advance(metaroce_dut* dut, uint64_t to_ns,                          \
                                       metaroce_answer* answer) {                                  \
    return metaroce::conformance::AdvanceHandler(dut, to_ns, answer);                              \
  }                                                                                                \
  metaroce_status metaroce_dut_snapshot(metaroce_dut* dut, const char* const* names, size_t count, \
                                        metaroce_answer* answer) {                                 \
    return metaroce::conformance::SnapshotHandler(dut, names, count, answer);                      \
  }                                                                                                \
  void metaroce_dut_close(metaroce_dut* dut) { metaroce::conformance::CloseHandler(dut); }         \
  static_assert(true, "a semicolon follows")

#endif  // METAROCE_CONFORMANCE_ABI_EXPORT_HANDLER_H_
