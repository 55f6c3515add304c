// Why a DATA packet may not be sent: names the rule that it breaks. Asked only about packets that
// the model would not send.
#ifndef METAROCE_CONFORMANCE_CHECK_EXPLAIN_H_
#define METAROCE_CONFORMANCE_CHECK_EXPLAIN_H_

#include <optional>

#include "conformance/check/verdict.h"
#include "model/endpoint/state.h"

namespace metaroce::check {

// `connection` is that of the packet's sender as it was before. Work requests of the packet's
// stream with an MSN below `next_msn` are known to be posted.
std::optional<Verdict> Explain(const endpoint::Connection& connection,
                               const endpoint::Settings& settings, Msn next_msn,
                               const Record& record);

}  // namespace metaroce::check

#endif  // METAROCE_CONFORMANCE_CHECK_EXPLAIN_H_
