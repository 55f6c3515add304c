// Text that others wrote, made safe to read and to show.
#ifndef METAROCE_VECTORS_TEXT_H_
#define METAROCE_VECTORS_TEXT_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace metaroce::vectors {

// True if `text` is well-formed UTF-8 (RFC 3629).
bool IsUtf8(absl::string_view text);

// `text` with U+FFFD in place of each byte that belongs to no well-formed sequence.
std::string MakeUtf8(absl::string_view text);

// How many code points well-formed `text` has: its columns, for the scripts we write in.
size_t CodePoints(absl::string_view text);

// One line that a terminal shows and does not obey: control characters (C1 included) and bytes that
// are no UTF-8 become \xNN; the rest stays.
std::string Printable(absl::string_view text);

// At most `length` bytes of it, the last three of them "..." if it was cut; never inside a code
// point.
std::string Shorten(absl::string_view text, size_t length);

// At most 60 bytes of it, safe to print, in quotation marks.
std::string Quoted(absl::string_view text);

// True for lower-case words and digits joined by hyphens, at most kMaxIdBytes of them.
inline constexpr size_t kMaxIdBytes = 64;
bool IsWordId(absl::string_view text);

// "0x" and two lower-case hexadecimal digits a byte.
std::string Hex(absl::string_view bytes);

// The inverse; InvalidArgumentError for other text, capital digits included.
absl::StatusOr<std::string> Unhex(absl::string_view text);

}  // namespace metaroce::vectors

#endif  // METAROCE_VECTORS_TEXT_H_
