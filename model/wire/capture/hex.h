// Frames as hex text, one a line.
//
//   # A comment.
//   0200 0000 0002 0200 0000 0001 0800 4500 ...   # another
//   L3: 45 00 00 3c ...
//
// Hex digits in pairs, in either case; spaces and tabs anywhere mean nothing. The
// prefix "L3:" says that the frame starts at the IP header (link type 101);
// otherwise it starts at Ethernet (link type 1). "#" starts a comment that runs
// to the end of the line. Comment lines directly above a frame, and the comment
// behind it, are the comment of that frame, joined by newlines and without "#"
// and the spaces around. An empty line separates a comment from what follows.
// Lines end with LF or CR LF; a byte order mark of UTF-8 at the start is skipped.
#ifndef METAROCE_MODEL_WIRE_CAPTURE_HEX_H_
#define METAROCE_MODEL_WIRE_CAPTURE_HEX_H_

#include <memory>
#include <string>

#include "model/wire/capture/capture.h"

namespace metaroce::capture {

// A reader of `text`, which must outlive it. Its errors are
// InvalidArgumentError with line and column, from 1, in bytes.
std::unique_ptr<CaptureReader> NewHexReader(Bytes text);

// True if the first byte that is not a space may begin hex text: a hex digit,
// "#", or the prefix "L3:".
bool LooksLikeHex(Bytes bytes);

// One line as above, with its LF, and comment lines before it. Precondition:
// link type 1 or 101.
std::string ToHexLine(const CapturedPacket& packet);

}  // namespace metaroce::capture

#endif  // METAROCE_MODEL_WIRE_CAPTURE_HEX_H_
