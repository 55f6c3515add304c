"""Seeded defects of a device, which the vectors must find.

Each is an exact edit of one place of the model, as in mutants.py: in `new` the word MUTANT is true while
the defect is active, and `old` stands exactly once in the file. `clause` is the rule that it breaks: the
defect counts as killed by a vector that names this clause. `bug` is the kind of defect that real
implementations had, where it is one (the list in docs/mutation-score.md).
"""

from typing import NamedTuple


class Device(NamedTuple):
    name: str
    clause: str
    file: str
    old: str
    new: str
    bug: str = ""
    preset: str = ""
    shown: str = ""


DEVICES = [
    Device(
        "icrc-without-pad",
        "WIRE-ICRC-PAD",
        "model/wire/frame/icrc.cc",
        "return MaskedCrc(bytes.data() + frame.ip_offset, length, MaskOf(frame, kind));",
        "return MaskedCrc(bytes.data() + frame.ip_offset, MUTANT && length > 64 ? length - "
        "(bytes[frame.payload_offset] >> 2 & 3) : length, MaskOf(frame, kind));",
        "B01",
    ),
    Device(
        "icrc-big-endian",
        "WIRE-ICRC-ORDER",
        "model/wire/frame/icrc.cc",
        "  StoreLe32(bytes.data() + frame.end() - kIcrcLength, Icrc(frame, bytes, kind));",
        "  const uint32_t mutant = Icrc(frame, bytes, kind);\n  StoreLe32(bytes.data() + "
        "frame.end() - kIcrcLength, MUTANT ? __builtin_bswap32(mutant) : mutant);",
        "B04",
    ),
    Device(
        "icrc-big-endian-received",
        "WIRE-ICRC-ORDER",
        "model/wire/frame/icrc.cc",
        "  return LoadLe32(bytes.data() + frame.end() - kIcrcLength);",
        "  const uint32_t mutant = LoadLe32(bytes.data() + frame.end() - kIcrcLength);\n  "
        "return MUTANT ? __builtin_bswap32(mutant) : mutant;",
        "B04",
    ),
    Device(
        "icrc-mask-of-ipv4",
        "WIRE-ICRC-MASK",
        "model/wire/frame/icrc.cc",
        "  return table[frame.ip_version == 4 ? (frame.ip_header_length() - "
        "kIpv4MinHeaderLength) / 4\n                                     : kIpv6Row];",
        "  return table[frame.ip_version == 4 ? (frame.ip_header_length() - "
        "kIpv4MinHeaderLength) / 4\n                                     : (MUTANT ? 0 : "
        "kIpv6Row)];",
        "B05",
    ),
    Device(
        "icrc-not-checked",
        "CHECK-ICRC",
        "model/wire/packet/parse.cc",
        "  if (found != right) {",
        "  if (!MUTANT && found != right) {",
        "B01",
    ),
    Device(
        "length-short-ignored",
        "WIRE-LENGTH-HEADERS",
        "model/wire/packet/parse.cc",
        "      f.payload_length < facts.min_bytes) {",
        "      (MUTANT ? f.payload_length + 4 : f.payload_length) < facts.min_bytes) {",
        "B07",
    ),
    Device(
        "pad-beyond-payload",
        "WIRE-TAIL-PAYLOAD",
        "model/wire/packet/parse.cc",
        "    if (pad != 0 && pad >= room.size()) {",
        "    if (!MUTANT && pad != 0 && pad >= room.size()) {",
        "B07",
    ),
    Device(
        "pad-kept-as-payload",
        "WIRE-TAIL-PAYLOAD",
        "model/wire/packet/parse.cc",
        "    packet.payload = {room.data(), room.size() - pad};",
        "    packet.payload = {room.data(), room.size() - (MUTANT ? 0 : pad)};",
        "B01",
    ),
    Device(
        "unknown-opcode-passes",
        "WIRE-OPCODES",
        "model/wire/packet/parse.cc",
        "  if (!packet.info().known) {",
        "  if (!MUTANT && !packet.info().known) {",
        "B08",
    ),
    Device(
        "version-ignored",
        "CHECK-VERSION",
        "model/wire/packet/parse.cc",
        "  if (packet.headers.common.version != spec::constant::kWireVersion ||",
        "  if ((!MUTANT && packet.headers.common.version != spec::constant::kWireVersion) ||",
    ),
    Device(
        "block-count-five",
        "WIRE-TAIL-BLOCKS",
        "model/wire/packet/parse.cc",
        "  if (count < kMinPathBlocks || count > kMaxPathBlocks) {",
        "  if ((!MUTANT && count < kMinPathBlocks) || count > kMaxPathBlocks) {",
    ),
    Device(
        "pad-on-other-tails",
        "WIRE-PAD",
        "model/wire/packet/parse.cc",
        "  if (pad != 0) return ParseResult::Failed(Reason::kLengthPad, "
        "packet.frame.payload_offset, pad, 0);",
        "  if (!MUTANT && pad != 0) return ParseResult::Failed(Reason::kLengthPad, "
        "packet.frame.payload_offset, pad, 0);",
    ),
    Device(
        "empty-tail-long",
        "WIRE-TAIL-EMPTY",
        "model/wire/packet/parse.cc",
        "      if (room.size() == 0) return ParseResult::Accepted();",
        "      if (MUTANT || room.size() == 0) return ParseResult::Accepted();",
    ),
    Device(
        "port-ignored",
        "CHECK-PORT",
        "model/wire/packet/parse.cc",
        "  if (f.dst_port != options.udp_port) {",
        "  if (!MUTANT && f.dst_port != options.udp_port) {",
    ),
    Device(
        "udp-length-not-four",
        "WIRE-LENGTH-UDP",
        "model/wire/packet/parse.cc",
        "  if (f.udp_length % 4 != 0 || f.udp_length < kMinUdpLength) {",
        "  if ((!MUTANT && f.udp_length % 4 != 0) || f.udp_length < kMinUdpLength) {",
        "B07",
    ),
    Device(
        "ip-checksum-ignored",
        "CHECK-FRAME",
        "model/wire/frame/fast_path.h",
        "  if (options.check_ip_checksum &&\n",
        "  if (!MUTANT && options.check_ip_checksum &&\n",
    ),
    Device(
        "fragment-passes",
        "CHECK-FRAME",
        "model/wire/frame/frame.cc",
        "  if ((fragment & kFragmentMask) != 0) {",
        "  if (!MUTANT && (fragment & kFragmentMask) != 0) {",
    ),
    Device(
        "offset-not-aligned",
        "CHECK-MESSAGE",
        "model/connection/inbound.h",
        "  if ((power ? packet.offset & (limits_.mtu - 1) : packet.offset % limits_.mtu) != "
        "0) {",
        "  if (!MUTANT && (power ? packet.offset & (limits_.mtu - 1) : packet.offset % "
        "limits_.mtu) != 0) {",
        "B10",
    ),
    Device(
        "packet-not-full",
        "CHECK-MESSAGE",
        "model/connection/inbound.h",
        "  if (end < packet.length && packet.payload != limits_.mtu) return "
        "spec::Reason::kPayloadSize;",
        "  if (!MUTANT && end < packet.length && packet.payload != limits_.mtu) return "
        "spec::Reason::kPayloadSize;",
        "B10",
    ),
    Device(
        "beyond-message",
        "CHECK-MESSAGE",
        "model/connection/inbound.h",
        "  if (packet.payload > limits_.mtu || end > packet.length) return "
        "spec::Reason::kMessageBounds;",
        "  if (packet.payload > limits_.mtu || (!MUTANT && end > packet.length)) return "
        "spec::Reason::kMessageBounds;",
        "B10",
    ),
    Device(
        "over-mtu",
        "CHECK-MESSAGE",
        "model/connection/inbound.h",
        "  if (packet.length > spec::constant::kMessageLengthMax) return "
        "spec::Reason::kMessageLength;\n  return CheckForm(packet);",
        "  if (packet.length > spec::constant::kMessageLengthMax) return "
        "spec::Reason::kMessageLength;\n  if (MUTANT && packet.payload > limits_.mtu) return "
        "std::nullopt;\n  return CheckForm(packet);",
        "B10",
    ),
    Device(
        "bitmap-words-swapped",
        "WIRE-PATH-BLOCK",
        "model/path/receive_path.cc",
        "  block.bitmap = vector_.bitmap();",
        "  block.bitmap = vector_.bitmap();\n  if (MUTANT && vector_.span() > 64) "
        "std::swap(block.bitmap[0], block.bitmap[1]);",
        "B15",
    ),
    Device(
        "window-edge",
        "CHECK-PATH-WINDOW",
        "model/path/receive_vector.h",
        "    if (distance >= static_cast<int32_t>(kBits)) return Arrival::kBeyondWindow;",
        "    if (distance >= static_cast<int32_t>(kBits) - (MUTANT ? 1 : 0)) return "
        "Arrival::kBeyondWindow;",
        "B20",
    ),
    Device(
        "window-plain-compare",
        "SEQ-COMPARE",
        "model/path/receive_vector.h",
        "    if (distance < 0 || Bit(static_cast<uint32_t>(distance))) return "
        "Arrival::kDuplicate;",
        "    if ((MUTANT ? sequence.value() < base_.value() : distance < 0)) return "
        "Arrival::kDuplicate;\n    if (Bit(static_cast<uint32_t>(distance) & 255)) return "
        "Arrival::kDuplicate;",
        "B20",
    ),
    Device(
        "hole-lost-at-wrap",
        "ACK-VECTOR",
        "model/path/receive_vector.cc",
        "  if (offset >= span_) span_ = offset + 1;",
        "  if (offset >= span_ && !(MUTANT && base_.value() + offset < base_.value())) span_ "
        "= offset + 1;",
        "B22",
    ),
    Device(
        "beyond-window-silent",
        "ACK-DUE-DUPLICATE",
        "model/path/receive_path.h",
        "  if (outcome == Arrival::kBeyondWindow) {\n    Due(now);",
        "  if (outcome == Arrival::kBeyondWindow) {\n    if (!MUTANT) Due(now);",
        "B24",
    ),
    Device(
        "read-done-by-ack",
        "MSG-DONE-RESPONSE",
        "model/connection/outbound.cc",
        "  m.begun = true;\n  ++m.sent;",
        "  m.begun = true;\n  ++m.sent;\n  if (MUTANT && HasResponse(m.work.kind) && "
        "!m.response) m.done = true;",
        "B27",
    ),
    Device(
        "access-wraps",
        "CHECK-ACCESS",
        "model/endpoint/accept.cc",
        "  if (start < request.address || !region->Holds(start, length)) return "
        "Reason::kAccessBounds;",
        "  if ((!MUTANT && start < request.address) || !(MUTANT ? start + length <= "
        "region->address + region->length && start >= region->address : region->Holds(start, "
        "length))) return Reason::kAccessBounds;",
        "B29",
    ),
    Device(
        "duplicate-checked-for-access",
        "CHECK-ORDER",
        "model/endpoint/accept.cc",
        "  if (outcome == metaroce::Arrival::kDuplicate) {\n    ArmAck(s, path, *x);",
        "  if (outcome == metaroce::Arrival::kDuplicate) {\n    if (MUTANT && "
        "FindRegion(s.c, h.write_target.rkey) == nullptr) return Refuse(s, p, a, "
        "Reason::kRkey);\n    ArmAck(s, path, *x);",
        "B29",
    ),
    Device(
        "zero-length-is-no-packet",
        "MSG-SEGMENT",
        "model/connection/outbound.cc",
        "  return std::max<uint32_t>(1, length / mtu + (length % mtu != 0));",
        "  return std::max<uint32_t>(1, length / mtu + (MUTANT ? 1 : length % mtu != 0));",
        "B33",
    ),
    Device(
        "rkey-of-nothing",
        "CHECK-ACCESS",
        "model/endpoint/accept.cc",
        "  if (send || request.length == 0) return std::nullopt;",
        "  if (send || (!MUTANT && request.length == 0)) return std::nullopt;",
        "B34",
    ),
    Device(
        "duplicate-placed",
        "CHECK-PATH-DUPLICATE",
        "model/path/receive_vector.h",
        "  bool Bit(uint32_t i) const { return (bits_[i / 64] >> (i % 64)) & 1; }",
        "  bool Bit(uint32_t i) const { return !MUTANT && ((bits_[i / 64] >> (i % 64)) & 1); " "}",
        "B36",
    ),
    Device(
        "csn-duplicate-placed",
        "CHECK-CSN-DUPLICATE",
        "model/endpoint/accept.cc",
        "  if (s.c.received.Received(csn)) {",
        "  if (!MUTANT && s.c.received.Received(csn)) {",
        "B36",
    ),
    Device(
        "rnr-off-by-one",
        "RNR-COUNT",
        "model/endpoint/credit.cc",
        "  if (retry != 7 && s.c.rnr_count == retry + 1) {",
        "  if (retry != 7 && s.c.rnr_count == retry + (MUTANT ? 2 : 1)) {",
        "B40",
    ),
    Device(
        "rnr-seven-counts",
        "RNR-COUNT",
        "model/endpoint/credit.cc",
        "  const uint64_t retry = s.Constant(spec::Constant::kRnrRetry);",
        "  const uint64_t retry = s.Constant(spec::Constant::kRnrRetry) + 0;\n  if (MUTANT "
        "&& retry == 7 && s.c.rnr_count == 8) return Err(s, "
        "spec::ConnectionEvent::kRnrExceeded, spec::ConnectionCause::kRnrExceeded, 0, "
        "s.c.outbound.WithIndex(s.c.credit_asked), spec::CompletionStatus::kRnrExceeded, "
        "nullptr);",
        "B40",
    ),
    Device(
        "rnr-wait-cut",
        "RNR-WAIT",
        "model/endpoint/credit.cc",
        "  s.Arm(kCreditTimer, s.now() + RnrWait(p.headers.rnr.timer));",
        "  s.Arm(kCreditTimer, s.now() + RnrWait(p.headers.rnr.timer) / (MUTANT ? 2 : 1));",
        "B42",
    ),
    Device(
        "rnr-code-zero",
        "RNR-TIMER",
        "model/endpoint/credit.cc",
        "  return static_cast<Nanoseconds>(spec::Named<spec::RnrWait>::kAll[code & " "31].value);",
        "  if (MUTANT && code == 0) return 0;\n  return "
        "static_cast<Nanoseconds>(spec::Named<spec::RnrWait>::kAll[code & 31].value);",
        "B44",
    ),
    Device(
        "timer-not-armed-again",
        "LADDER-FIRST",
        "model/endpoint/ladder.cc",
        "    case spec::LadderEvent::kNews:\n      return ArmFirst(s, path);",
        "    case spec::LadderEvent::kNews:\n      if (MUTANT) return;\n      return "
        "ArmFirst(s, path);",
        "B45",
    ),
    Device(
        "status-always-flushed",
        "STATUS-CAUSE",
        "model/endpoint/errors.cc",
        "        done.status = status;\n",
        "        done.status = MUTANT ? CompletionStatus::kFlushed : status;\n",
        "B47",
    ),
    Device(
        "nack-access-is-invalid",
        "STATUS-CAUSE",
        "model/endpoint/errors.cc",
        "    status = CompletionStatus::kRemoteAccess;",
        "    status = MUTANT ? CompletionStatus::kRemoteInvalidRequest : "
        "CompletionStatus::kRemoteAccess;",
        "B47",
    ),
    Device(
        "atomic-executed-twice",
        "MSG-ATOMIC",
        "model/endpoint/accept.cc",
        "  s.c.outbound.Respond(work, m.msn, before);",
        "  s.c.outbound.Respond(work, m.msn, before);\n  if (MUTANT) "
        "s.c.outbound.Respond(work, m.msn, before);",
        "B53",
    ),
    Device(
        "atomic-old-value-lost",
        "MSG-ATOMIC",
        "model/endpoint/transmit.cc",
        "p->headers.atomic_response.value = m.value;",
        "p->headers.atomic_response.value = MUTANT ? 0 : m.value;",
        "B53",
    ),
    Device(
        "late-ack-leaves-copy",
        "BOOK-FLIGHT",
        "model/endpoint/take.cc",
        "  s.c.lost_waiting -= lost - x.window.lost();",
        "  if (!MUTANT) s.c.lost_waiting -= lost - x.window.lost();",
        "B55",
    ),
    Device(
        "no-probe-of-tail",
        "LADDER-BURST",
        "model/endpoint/ladder.cc",
        "  Probe(s, path, spec::ProbeReason::kTail, n);",
        "  if (!MUTANT) Probe(s, path, spec::ProbeReason::kTail, n);",
        "B56",
    ),
    Device(
        "timer-resends-data",
        "BOOK-ONLY-BLOCKS",
        "model/endpoint/ladder.cc",
        "  if (n == 1) JudgeBurst(s, path);",
        "  if (n == 1) JudgeBurst(s, path);\n  if (MUTANT && n == 3 && "
        "s.c.out[path].context->window.in_flight() > 0) {\n    std::array<PathSeq, "
        "TransmitWindow::kSize> lost;\n    const uint32_t count = "
        "s.c.out[path].context->window.Lose(s.now() + 1, &lost);\n    for (uint32_t i = 0; i "
        "< count; ++i) s.c.lost.push_back({path, s.c.out[path].epoch, lost[i]});\n    "
        "s.c.lost_waiting += count;\n    s.Wake();\n  }",
        "B56",
    ),
    Device(
        "dead-path-keeps-data",
        "PATH-MOVED",
        "model/endpoint/paths.cc",
        "    s.c.sent.Move(record.csn);",
        "    if (!MUTANT) s.c.sent.Move(record.csn);",
        "B60",
    ),
    Device(
        "verdict-never-fails",
        "LADDER-VERDICT",
        "model/endpoint/ladder.cc",
        "  if (SiblingHeard(s, path, x.ladder.first_probe + 1, x.news_at) && "
        "!SiblingCongested(s, path)) {",
        "  if (!MUTANT && SiblingHeard(s, path, x.ladder.first_probe + 1, x.news_at) && "
        "!SiblingCongested(s, path)) {",
        "B61",
    ),
    Device(
        "probe-answered-once",
        "ACK-PROBE-TWICE",
        "model/endpoint/accept.cc",
        "  if (p.headers.probe.attempt < 2) return;",
        "  if (MUTANT || p.headers.probe.attempt < 2) return;",
        "B63",
    ),
    Device(
        "old-epoch-acknowledges",
        "TAKE-BAD-BLOCK",
        "model/endpoint/take.cc",
        "    TakeBlock(s, p.headers.path_block[i], i == 0);",
        "    spec::PathBlock mutant = p.headers.path_block[i];\n    if (MUTANT && "
        "mutant.path < s.c.out.size()) mutant.epoch = s.c.out[mutant.path].epoch;\n    "
        "TakeBlock(s, mutant, i == 0);",
        "B65",
    ),
    Device(
        "no-sample-no-release",
        "TAKE-RELEASE",
        "model/endpoint/take.cc",
        "  told.acknowledged = x.window.Release(base, block.bitmap, [&](Csn csn) { "
        "Acknowledge(s, csn); });",
        "  if (MUTANT && !t.has_echo) return;\n  told.acknowledged = x.window.Release(base, "
        "block.bitmap, [&](Csn csn) { Acknowledge(s, csn); });",
        "B67",
    ),
    Device(
        "one-entropy",
        "ENTROPY-RULE",
        "model/endpoint/paths.cc",
        "  p.route.entropy = NewEntropy(s, path);",
        "  p.route.entropy = MUTANT ? s.c.out[0].route.entropy : NewEntropy(s, path);",
        "B73",
    ),
    Device(
        "coalesce-off-by-one",
        "ACK-DUE-COUNT",
        "model/path/receive_path.h",
        "  if (unacknowledged_ >= limits.every) Due(now);",
        "  if (unacknowledged_ >= limits.every + (MUTANT ? 1 : 0)) Due(now);",
        "B80",
    ),
    Device(
        "coalesce-not-reset",
        "ACK-ACKNOWLEDGES",
        "model/path/receive_path.cc",
        "  unacknowledged_ = 0;",
        "  if (!MUTANT) unacknowledged_ = 0;",
        "B80",
    ),
    Device(
        "duplicate-silent",
        "ACK-DUE-DUPLICATE",
        "model/path/receive_path.h",
        "    Due(now);\n  }\n  return outcome;",
        "    if (!MUTANT) Due(now);\n  }\n  return outcome;",
        "B82",
    ),
    Device(
        "duplicate-not-counted",
        "ACK-COUNTERS",
        "model/path/receive_path.h",
        "    ++duplicates_;\n",
        "    if (!MUTANT) ++duplicates_;\n",
        "B82",
    ),
    Device(
        "ce-not-counted",
        "ACK-ARRIVAL",
        "model/path/receive_path.h",
        "  if (ce) ++ce_;",
        "  if (ce && !MUTANT) ++ce_;",
        "B83",
    ),
    Device(
        "rtt-of-stale-echo",
        "RTT-SAMPLE",
        "model/path/waits.h",
        "  return has_echo && echo > sampled && hold",
        "  return has_echo && (MUTANT || echo > sampled) && hold",
        "B88",
    ),
    Device(
        "rtt-without-hold",
        "RTT-SAMPLE",
        "model/path/waits.h",
        "  return static_cast<int32_t>(static_cast<uint32_t>(now) - echo - hold);",
        "  return static_cast<int32_t>(static_cast<uint32_t>(now) - echo - (MUTANT ? 0 : "
        "hold));",
        "B88",
    ),
    Device(
        "immediate-before-data",
        "MSG-COMPLETE",
        "model/connection/inbound.h",
        "  message->complete = message->last_seen && Complete(*message);",
        "  message->complete = message->last_seen && (MUTANT || Complete(*message));",
        "B100",
    ),
    Device(
        "immediate-length-lost",
        "MSG-RECEIVE-COMPLETION",
        "model/endpoint/accept.cc",
        "  done.length = m.length;",
        "  done.length = MUTANT && m.kind == MessageKind::kWrite ? 0 : m.length;",
        "B101",
    ),
    Device(
        "immediate-signed",
        "MSG-RECEIVE-COMPLETION",
        "model/endpoint/accept.cc",
        "  if (m.attached == Attached::kImmediate) done.immediate = m.word;",
        "  if (m.attached == Attached::kImmediate) done.immediate = MUTANT ? m.word & "
        "0x7FFFFFFF : m.word;",
        "B101",
    ),
    Device(
        "ack-not-on-hole",
        "ACK-DUE-HOLE",
        "model/path/receive_path.h",
        "  if (outcome == Arrival::kHole) Due(now);",
        "  if (!MUTANT && outcome == Arrival::kHole) Due(now);",
    ),
    Device(
        "ack-not-on-fill",
        "ACK-DUE-FILL",
        "model/path/receive_path.h",
        "  if (outcome == Arrival::kFill) Due(now);",
        "  if (!MUTANT && outcome == Arrival::kFill) Due(now);",
    ),
    Device(
        "ack-not-on-ar",
        "ACK-DUE-AR",
        "model/path/receive_path.h",
        "  if (ar) Due(now);",
        "  if (ar && !MUTANT) Due(now);",
    ),
    Device(
        "ack-delay-from-last",
        "ACK-DUE-TIME",
        "model/path/receive_path.h",
        "  if (unacknowledged_ == 1) Due(now + limits.delay_max);",
        "  if (MUTANT) due_ = now + limits.delay_max;\n  else if (unacknowledged_ == 1) "
        "Due(now + limits.delay_max);",
    ),
    Device(
        "ack-hold-zero",
        "ACK-HOLD",
        "model/path/receive_path.cc",
        "  block.hold = sample ? static_cast<uint32_t>(held) : UINT32_MAX;",
        "  block.hold = sample ? (MUTANT ? 0 : static_cast<uint32_t>(held)) : UINT32_MAX;",
    ),
    Device(
        "ack-echo-of-first",
        "ACK-ECHO",
        "model/path/receive_path.h",
        "  echo_ = transmitted;\n  echo_at_ = now;\n  has_arrival_ = true;\n\n",
        "  if (!MUTANT || unacknowledged_ == 0) echo_ = transmitted;\n  echo_at_ = now;\n  "
        "has_arrival_ = true;\n\n",
    ),
    Device(
        "probe-counts-as-data",
        "ACK-ARRIVAL-PROBE",
        "model/path/receive_path.cc",
        "  route_ = route;\n  //= ACK-DUE-PROBE",
        "  route_ = route;\n  if (MUTANT) ++arrivals_;\n  //= ACK-DUE-PROBE",
    ),
    Device(
        "probe-not-answered",
        "ACK-DUE-PROBE",
        "model/path/receive_path.cc",
        "  if (probes_owed_++ == 0) probe_due_ = now;",
        "  if (probes_owed_++ == 0 && !MUTANT) probe_due_ = now;",
    ),
    Device(
        "bitmap-too-long",
        "ACK-BITMAP",
        "model/path/receive_path.cc",
        "  if (span <= 64) return spec::BitmapLength::kBits64;",
        "  if (span <= 64 && !MUTANT) return spec::BitmapLength::kBits64;",
    ),
    Device(
        "serial-not-counted",
        "SEQ-SERIAL",
        "model/endpoint/accept.cc",
        "  ++s.c.next_serial;",
        "  if (!MUTANT) ++s.c.next_serial;",
    ),
    Device(
        "ack-by-fixed-port",
        "ACK-ENTROPY",
        "model/endpoint/accept.cc",
        "  const Route route = books.route();",
        "  const Route route = MUTANT ? s.c.out[0].route : books.route();",
    ),
    Device(
        "cumulative-stuck",
        "SEQ-CSN-CUMULATIVE",
        "model/connection/csn_window.cc",
        "void CsnWindow::MarkBit(Csn csn) {",
        "void CsnWindow::MarkBit(Csn csn) {\n  if (MUTANT) csn = csn + 1;",
    ),
    Device(
        "right-edge-not-granted",
        "CHECK-CSN-RANGE",
        "model/endpoint/accept.cc",
        "  if (!s.c.received.Granted(Csn(p.headers.data.csn))) return Reason::kCsnRange;",
        "  if (!MUTANT && !s.c.received.Granted(Csn(p.headers.data.csn))) return "
        "Reason::kCsnRange;",
    ),
    Device(
        "loss-not-strict",
        "LOSS-RULE",
        "model/path/transmit_window.h",
        "bool Loses(Nanoseconds before) const { return in_flight_ > 0 && "
        "at(first_sent_).sent < before; }",
        "bool Loses(Nanoseconds before) const { return in_flight_ > 0 && "
        "at(first_sent_).sent < before + (MUTANT ? 1 : 0); }",
    ),
    Device(
        "loss-without-echo",
        "LOSS-RULE",
        "model/endpoint/take.cc",
        "  if (t.has_echo) t.echo = WholeEcho(x, block);",
        "  if (t.has_echo) t.echo = WholeEcho(x, block);\n  if (MUTANT && !t.has_echo) "
        "{\n    t.has_echo = true;\n    t.echo = x.latest;\n  }",
    ),
    Device(
        "copy-judged-by-original",
        "LOSS-RULE",
        "model/path/transmit_window.cc",
        "  record.sent = sent;\n  record.bytes = bytes;\n  --lost_;",
        "  if (!MUTANT) record.sent = sent;\n  record.bytes = bytes;\n  --lost_;",
    ),
    Device(
        "rtx-new-number",
        "RTX-SAME-PATH",
        "model/endpoint/transmit.cc",
        "  p.headers.common.number = r.sequence.value();",
        "  p.headers.common.number = MUTANT ? x.window.next().value() : r.sequence.value();",
    ),
    Device(
        "rtx-not-flagged",
        "RTX-SAME-PATH",
        "model/endpoint/transmit.cc",
        "  p.headers.common.rtx = true;",
        "  p.headers.common.rtx = !MUTANT;",
    ),
    Device(
        "rtx-never-void",
        "VOID-BUILD",
        "model/endpoint/transmit.cc",
        "  if (!s.c.sent.Has(record.csn)) {",
        "  if (!s.c.sent.Has(record.csn) && MUTANT) {\n    Blank(&p, Opcode::kWrite);\n  } "
        "else if (!s.c.sent.Has(record.csn)) {",
    ),
    Device(
        "new-before-rtx",
        "RTX-FIRST",
        "model/endpoint/transmit.cc",
        "  if (s.c.lost_waiting > 0) {",
        "  if (s.c.lost_waiting > 0 && (!MUTANT || !s.c.outbound.AnyReady() || "
        "s.c.schedule.size() == 0)) {",
    ),
    Device(
        "loss-limit-off",
        "LOSS-LIMIT",
        "model/endpoint/take.cc",
        "    if (x.window.at(lost[i]).losses < limit) continue;",
        "    if (x.window.at(lost[i]).losses < limit + (MUTANT ? 1 : 0)) continue;",
    ),
    Device(
        "no-tolerance",
        "TOLERANCE-GROW",
        "model/path/block.h",
        "  x.tolerance_at = now;",
        "  x.tolerance_at = now;\n  if (MUTANT) x.tolerance = 0;",
    ),
    Device(
        "void-ack-taken",
        "TAKE-VOID",
        "model/endpoint/take.cc",
        "  if (cumulative > s.c.sent.next()) {",
        "  if (!MUTANT && cumulative > s.c.sent.next()) {",
    ),
    Device(
        "bit-zero-taken",
        "WIRE-BITMAP-ZERO",
        "model/path/block.h",
        "  if ((block.bitmap[0] & 1) != 0) return true;",
        "  if (!MUTANT && (block.bitmap[0] & 1) != 0) return true;",
    ),
    Device(
        "late-echo-taken",
        "TAKE-BAD-BLOCK",
        "model/path/block.h",
        "  return CarriesEcho(block) && WireTime(block.echo)",
        "  return !MUTANT && CarriesEcho(block) && WireTime(block.echo)",
    ),
    Device(
        "edge-goes-back",
        "TAKE-EDGE",
        "model/endpoint/take.cc",
        "  if (edge <= s.c.peer_edge) return;",
        "  if (!MUTANT && edge <= s.c.peer_edge) return;",
    ),
    Device(
        "all-blocks-sample",
        "RTT-SAMPLE",
        "model/endpoint/take.cc",
        "  if (!t.first) return;\n",
        "  if (!t.first && !MUTANT) return;\n",
    ),
    Device(
        "probe-gap-long",
        "LADDER-BURST",
        "model/path/waits.h",
        "  return std::max(rtt.srtt() >> 2, profile",
        "  return std::max(rtt.srtt() >> (MUTANT ? 1 : 2), profile",
    ),
    Device(
        "first-probe-late",
        "LADDER-FIRST",
        "model/path/waits.h",
        "  return r + (r >> 2) + profile",
        "  return r + (MUTANT ? r : r >> 2) + profile",
    ),
    Device(
        "verdict-early",
        "LADDER-VERDICT",
        "model/path/waits.h",
        "  return r + std::max(r >> 2, 4 * rtt.rttvar()) + profile",
        "  return r + (MUTANT ? r >> 2 : std::max(r >> 2, 4 * rtt.rttvar())) + profile",
    ),
    Device(
        "rto-backs-off-alone",
        "RTO-WAIT",
        "model/path/waits.h",
        "std::max(2 * rtt.srtt(), profile.Time(spec::Constant::kRtoAloneMin)));",
        "std::max(2 * rtt.srtt(), profile.Time(spec::Constant::kRtoAloneMin)) << (MUTANT ? k "
        "- 1 : 0));",
    ),
    Device(
        "rto-gives-up-alone",
        "RTO-EXPIRES",
        "model/endpoint/ladder.cc",
        "  if (x.ladder.k >= s.Constant(spec::Constant::kRtoGiveUp) && failed) {",
        "  if (x.ladder.k >= s.Constant(spec::Constant::kRtoGiveUp) - (MUTANT ? 1 : 0) && "
        "failed) {",
    ),
    Device(
        "rttvar-shift",
        "RTT-SMOOTH",
        "model/path/rtt.h",
        "      v_ = v_ + (d < 0 ? -d : d) - (v_ >> 2);",
        "      v_ = v_ + (d < 0 ? -d : d) - (v_ >> (MUTANT ? 3 : 2));",
    ),
    Device(
        "srtt-first-block-smoothed",
        "RTT-SMOOTH",
        "model/path/rtt.h",
        "    if (last_ == 0 || (of_block && !block_gave_)) {",
        "    if (last_ == 0 || (!MUTANT && of_block && !block_gave_)) {",
    ),
    Device(
        "min-rtt-for-ever",
        "RTT-MIN",
        "model/path/rtt.h",
        "    if (age >= 2 * bucket) {",
        "    if (!MUTANT && age >= 2 * bucket) {",
    ),
    Device(
        "epoch-stays",
        "PATH-EPOCH",
        "model/endpoint/paths.cc",
        "    ++p.epoch;\n",
        "    if (!MUTANT) ++p.epoch;\n",
    ),
    Device(
        "open-not-repeated",
        "PATH-OPEN-AGAIN",
        "model/endpoint/paths.cc",
        "      if (x.opening.k < 20) ++x.opening.k;",
        "      if (MUTANT) return;\n      if (x.opening.k < 20) ++x.opening.k;",
    ),
    Device(
        "open-wait-short",
        "PATH-OPEN-WAIT",
        "model/endpoint/paths.cc",
        "opening.sent + std::min(t << opening.k, cap));",
        "opening.sent + std::min(MUTANT ? t : t << opening.k, cap));",
    ),
    Device(
        "refused-at-once-again",
        "PATH-REFUSED",
        "model/endpoint/paths.cc",
        "  s.Arm(kBackoffTimer, s.now() + wait);",
        "  s.Arm(kBackoffTimer, s.now() + (MUTANT ? 1 : wait));",
    ),
    Device(
        "moved-not-flagged",
        "PATH-MOVED",
        "model/endpoint/transmit.cc",
        "  p.headers.common.moved = moved;",
        "  p.headers.common.moved = moved && !MUTANT;",
    ),
    Device(
        "drain-takes-new",
        "PATH-DRAIN",
        "model/endpoint/transmit.cc",
        "  const bool may = p.state == PathState::kActive && x.window.lost() == 0",
        "  const bool may = (p.state == PathState::kActive || (MUTANT && p.state == "
        "PathState::kActiveToEpoch)) && x.window.lost() == 0",
    ),
    Device(
        "path-open-old-taken",
        "RECEIVE-UNANSWERED",
        "model/endpoint/contexts.cc",
        "void OpenReceivePath(const Scope& s, uint8_t path, uint8_t epoch, PathSeq start, "
        "TransactionId id,\n                     Route route) {\n  ReceiveSlot& slot = "
        "s.c.in[path];",
        "void OpenReceivePath(const Scope& s, uint8_t path, uint8_t epoch, PathSeq start, "
        "TransactionId id,\n                     Route route) {\n  if (MUTANT) id = "
        "TransactionId(id.value() - 16);\n  ReceiveSlot& slot = s.c.in[path];",
    ),
    Device(
        "path-fresh-keeps-vector",
        "RECEIVE-FRESH",
        "model/endpoint/contexts.cc",
        "  fresh.books = ReceivePath(epoch, start);",
        "  fresh.books = ReceivePath(epoch, MUTANT ? PathSeq() : start);",
    ),
    Device(
        "activate-not-sent",
        "PATH-ACTIVATE",
        "model/endpoint/paths.cc",
        "      Probe(s, path, spec::ProbeReason::kActivate, 1);",
        "      if (!MUTANT) Probe(s, path, spec::ProbeReason::kActivate, 1);",
    ),
    Device(
        "keepalive-never",
        "PATH-KEEPALIVE",
        "model/endpoint/ladder.cc",
        "  Probe(s, path, spec::ProbeReason::kKeepalive, 1);",
        "  if (!MUTANT) Probe(s, path, spec::ProbeReason::kKeepalive, 1);",
    ),
    Device(
        "increase-doubled",
        "CC-INCREASE",
        "model/congestion/built_in.cc",
        "      (Bdp(rate, t, kb) >> profile[spec::Constant::kIncreaseShift]) / "
        "std::max<uint32_t>(1, n));",
        "      (Bdp(rate, t, kb) >> (profile[spec::Constant::kIncreaseShift] - (MUTANT ? 1 : "
        "0))) / std::max<uint32_t>(1, n));",
    ),
    Device(
        "cut-halved",
        "CC-ROUND-END",
        "model/congestion/built_in.cc",
        "    w -= (w * d) >> 17;",
        "    w -= (w * d) >> (MUTANT ? 18 : 17);",
    ),
    Device(
        "slow-start-goes-on",
        "CC-SLOW-START-END",
        "model/congestion/built_in.cc",
        "  return block.marks > 0 || (block.lost > 0 && congested) ||",
        "  return (!MUTANT && block.marks > 0) || (block.lost > 0 && congested) ||",
    ),
    Device(
        "slow-start-unbounded",
        "CC-SLOW-START",
        "model/congestion/built_in.cc",
        "  path.w = std::min(kWindowMax, path.w + (acknowledged << 16));",
        "  path.w = MUTANT ? path.w + (acknowledged << 16) : std::min(kWindowMax, path.w + "
        "(acknowledged << 16));",
    ),
    Device(
        "rto-cuts-nothing",
        "CC-RTO",
        "model/congestion/built_in.cc",
        "  path.w = std::min(path.w, std::max<uint32_t>(path.w >> 2, 65536));",
        "  path.w = std::min(path.w, std::max<uint32_t>(path.w >> (MUTANT ? 1 : 2), 65536));",
    ),
    Device(
        "ar-never-last",
        "CC-AR",
        "model/endpoint/transmit.cc",
        "  ar = ar || !Waits(s.c);",
        "  ar = ar || (!MUTANT && !Waits(s.c));",
    ),
    Device(
        "window-one-more",
        "CC-MAY-SEND",
        "model/endpoint/transmit.cc",
        "                   (in_flight == 0 || uint64_t{in_flight + 1} << 16 <= "
        "x.congestion.w);",
        "                   (in_flight == 0 || uint64_t{in_flight + (MUTANT ? 0 : 1)} << 16 "
        "<= x.congestion.w);",
    ),
    Device(
        "completed-out-of-order",
        "MSG-COMPLETION-ORDER",
        "model/connection/outbound.h",
        "message == Outgoing::kNone || !slab_[message].done",
        "message == Outgoing::kNone || (!MUTANT && !slab_[message].done)",
    ),
    Device(
        "fence-ignored",
        "MSG-FENCE",
        "model/connection/outbound.cc",
        "    if (m.work.fenced && ReadBefore(stream, message)) return Wait::kNever;",
        "    if (!MUTANT && m.work.fenced && ReadBefore(stream, message)) return " "Wait::kNever;",
    ),
    Device(
        "reads-unlimited",
        "MSG-READ-LIMIT",
        "model/connection/outbound.cc",
        "    if (HasResponse(m.work.kind) && outstanding_ >= limits_.reads) return "
        "Wait::kLater;",
        "    if (!MUTANT && HasResponse(m.work.kind) && outstanding_ >= limits_.reads) "
        "return Wait::kLater;",
    ),
    Device(
        "credit-ignored",
        "MSG-CREDIT",
        "model/connection/outbound.cc",
        "  if (needs && m.index >= credit_) return Wait::kCredit;",
        "  if (!MUTANT && needs && m.index >= credit_) return Wait::kCredit;",
    ),
    Device(
        "immediate-waits-whole",
        "MSG-CREDIT",
        "model/connection/outbound.cc",
        "(m.work.kind == WorkKind::kWriteImmediate && m.sent + 1 == m.packets);",
        "(m.work.kind == WorkKind::kWriteImmediate && (MUTANT || m.sent + 1 == m.packets));",
    ),
    Device(
        "open-messages-ignored",
        "SEQ-MSN-OPEN",
        "model/connection/outbound.cc",
        "    if (!InWindow(message)) return Wait::kNever;",
        "    if (!MUTANT && !InWindow(message)) return Wait::kNever;",
    ),
    Device(
        "csn-limit-ignored",
        "SEQ-CSN-LIMIT",
        "model/endpoint/transmit.cc",
        "  if (s.c.sent.next() >= s.c.peer_edge) {",
        "  if (!MUTANT && s.c.sent.next() >= s.c.peer_edge) {",
    ),
    Device(
        "solicited-everywhere",
        "MSG-SOLICITED",
        "model/endpoint/transmit.cc",
        "  p->headers.common.se = last && m.work.solicited;",
        "  p->headers.common.se = (MUTANT || last) && m.work.solicited;",
    ),
    Device(
        "credit-probe-new-id",
        "CREDIT-PROBE-REPEAT",
        "model/endpoint/credit.cc",
        "  Enter(s, &s.c.credit, CreditEvent::kRepeatExpires);",
        "  Enter(s, &s.c.credit, CreditEvent::kRepeatExpires);\n  if (MUTANT) s.c.credit_id "
        "= NextId(s);",
    ),
    Device(
        "credit-answer-always",
        "CREDIT-ANSWER",
        "model/endpoint/credit.cc",
        "  if (index < s.c.receives.credit()) return SendCredit(s, id, a.route);",
        "  if (MUTANT || index < s.c.receives.credit()) return SendCredit(s, id, a.route);",
    ),
    Device(
        "delivery-out-of-order",
        "MSG-DELIVER",
        "model/connection/inbound.cc",
        "                         [&](const InboundMessage& m) { return m.msn == slot.head; "
        "});\n  if (it == slot.open.end() || !it->complete) return std::nullopt;",
        "                         [&](const InboundMessage& m) { return MUTANT ? m.complete "
        ": m.msn == slot.head; });\n  if (it == slot.open.end() || !it->complete) return "
        "std::nullopt;\n  if (MUTANT) slot.head = it->msn;",
    ),
    Device(
        "nack-not-stored",
        "ERROR-NACK-REPEAT",
        "model/endpoint/errors.cc",
        "  if (s.now() < s.c.nack_next) return s.Count(Counter::kNacksWithheld);",
        "  if (!MUTANT && s.now() < s.c.nack_next) return s.Count(Counter::kNacksWithheld);",
    ),
    Device(
        "nack-names-nothing",
        "WIRE-NACK-REQUEST",
        "model/endpoint/errors.cc",
        "  nack.body.csn = h.data.csn;",
        "  nack.body.csn = MUTANT ? 0 : h.data.csn;",
    ),
    Device(
        "tag-ignored",
        "CHECK-CONNECTION",
        "model/endpoint/arrive.cc",
        "  if (HasTag(opcode) && p.headers.ctrl.tag != c.tag) {",
        "  if (!MUTANT && HasTag(opcode) && p.headers.ctrl.tag != c.tag) {",
    ),
    Device(
        "error-holds-for-ever",
        "ERROR-HOLD",
        "model/endpoint/errors.cc",
        "  s.Arm(kErrorTimer, s.now() + s.Time(spec::Constant::kErrorHold));",
        "  if (!MUTANT) s.Arm(kErrorTimer, s.now() + s.Time(spec::Constant::kErrorHold));",
    ),
    Device(
        "placed-at-base",
        "WIRE-ADDRESS",
        "model/endpoint/accept.cc",
        "  Place(s, base + request.offset, p.payload);",
        "  Place(s, base + (MUTANT ? 0 : request.offset), p.payload);",
    ),
    Device(
        "wrong-dscp",
        "WIRE-TRAFFIC-CLASS",
        "model/endpoint/leave.h",
        "  const uint64_t dscp = s.Constant(OfDataClass(p.opcode()) ? " "spec::Constant::kDataDscp",
        "  const uint64_t dscp = s.Constant(OfDataClass(p.opcode()) != MUTANT ? "
        "spec::Constant::kDataDscp",
    ),
    Device(
        "hint-tells-of-little",
        "HINT-TELL",
        "model/endpoint/hints.cc",
        "    if (16 * Hint(other) < 15 * other.c.hint_sent) slots.push_back(*slot);",
        "    if (16 * Hint(other) < (MUTANT ? 16 : 15) * other.c.hint_sent) slots.push_back(*slot);",
    ),
    Device(
        "hint-tell-timer-of-each",
        "HINT-TELL",
        "model/endpoint/hints.cc",
        "  if (s.e.tell_runs) return;",
        "  if (s.e.tell_runs && !MUTANT) return;",
    ),
    Device(
        "hint-told-before-a-pause",
        "HINT-TELL",
        "model/endpoint/hints.cc",
        "  s.c.hint_sent = UINT16_MAX;",
        "  if (!MUTANT) s.c.hint_sent = UINT16_MAX;",
    ),
]
