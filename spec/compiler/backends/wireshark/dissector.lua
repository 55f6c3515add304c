-- The engine. It knows no layout: all it knows of the protocol is in the table `spec` above, the names
-- of three fields of the common header (version, opcode, pad), what the tails mean, the names of the
-- reasons that the bytes alone can give, and which fields are worth a place in the list of packets.
--
-- Fields that belong to no layout:
--   metaroce.class                class of the opcode, by name
--   metaroce.fault                the reason that a receiver would drop this packet for, by name
--   metaroce.payload[.length]     payload and its bytes; metaroce.pad the pad
--   metaroce.option.type .length .value .padding
--   metaroce.filler               bytes that are ignored
--   metaroce.undecoded            bytes that no rule explains
--   metaroce.icrc                 not verified here

local proto = Proto("metaroce", "MetaRoCE")
local all = {}  -- every ProtoField, for registration
local own = {}  -- those of no layout, by name

local function register(field)
  all[#all + 1] = field
  return field
end

own.class = register(ProtoField.string("metaroce.class", "Class"))
own.fault = register(ProtoField.string("metaroce.fault", "Fault"))
own.payload = register(ProtoField.bytes("metaroce.payload", "Payload"))
own.payload_length = register(ProtoField.uint32("metaroce.payload.length", "Payload bytes", base.DEC))
own.pad = register(ProtoField.bytes("metaroce.pad", "Pad"))
own.option = register(ProtoField.none("metaroce.option", "Option"))
own.option_type = register(ProtoField.uint16("metaroce.option.type", "Type", base.DEC))
own.option_length = register(ProtoField.uint16("metaroce.option.length", "Length", base.DEC))
own.option_value = register(ProtoField.bytes("metaroce.option.value", "Value"))
own.option_padding = register(ProtoField.bytes("metaroce.option.padding", "Padding"))
own.filler = register(ProtoField.bytes("metaroce.filler", "Filler"))
own.undecoded = register(ProtoField.bytes("metaroce.undecoded", "Undecoded bytes"))
own.icrc = register(ProtoField.uint32("metaroce.icrc", "iCRC (not verified)", base.HEX))

local summary_fields = {path = true, epoch = true, number = true, csn = true, stream = true, msn = true,
                        offset = true, length = true, reason = true, code = true, attempt = true}

local expert = {
  fault = ProtoExpert.new("metaroce.expert.fault", "The packet is malformed",
                          expert.group.MALFORMED, expert.severity.ERROR),
  unknown = ProtoExpert.new("metaroce.expert.unknown", "The packet is of an unknown kind",
                            expert.group.UNDECODED, expert.severity.WARN),
  reserved = ProtoExpert.new("metaroce.expert.reserved", "Reserved bits are not zero; receivers ignore them",
                             expert.group.PROTOCOL, expert.severity.NOTE),
  cut = ProtoExpert.new("metaroce.expert.cut", "The capture holds a part of the packet only",
                        expert.group.UNDECODED, expert.severity.NOTE),
}
proto.experts = {expert.fault, expert.unknown, expert.reserved, expert.cut}

-- How a number of `bits` bits is shown: base, and strings or unit.
local function presentation(field)
  if field.enum then
    if field.bits > 32 then return base.DEC, nil end
    return base.DEC, spec.enums[field.enum]
  end
  if field.unit and base.UNIT_STRING then
    return base.DEC + base.UNIT_STRING, {" " .. field.unit, " " .. field.unit}
  end
  if field.reserved then return base.HEX, nil end
  if field.bits == 64 then return base.HEX_DEC, nil end
  return field.bits >= 24 and base.DEC_HEX or base.DEC, nil
end

-- Wireshark takes a field out of 1 to 4 whole bytes by a mask; wider ones that do not begin and end
-- with bytes are taken out here.
local function make_field(layout, field)
  local abbr = "metaroce." .. layout.name .. "." .. field.name
  local span = math.floor((field.first_bit + field.bits - 1) / 8) - math.floor(field.first_bit / 8) + 1
  field.byte = math.floor(field.first_bit / 8)
  field.shift = field.first_bit % 8
  field.span = span
  local whole = field.bits == span * 8
  field.computed = not whole and span > 4
  local mask = nil
  if not whole and span <= 4 then mask = (2 ^ field.bits - 1) * 2 ^ (span * 8 - field.shift - field.bits) end
  if field.bits == 1 then
    field.proto = register(ProtoField.bool(abbr, field.label, 8, nil, mask, field.note))
    return
  end
  local kinds = {ProtoField.uint8, ProtoField.uint16, ProtoField.uint24, ProtoField.uint32}
  local kind = kinds[field.computed and math.ceil(field.bits / 8) or span] or ProtoField.uint64
  local display, strings = presentation(field)
  field.proto = register(kind(abbr, field.label, display, strings, mask, field.note))
end

for _, layout in ipairs(spec.layouts) do
  spec.layouts[layout.name] = layout
  layout.proto = register(ProtoField.none("metaroce." .. layout.name, layout.title))
  for _, field in ipairs(layout.fields) do make_field(layout, field) end
  if layout.bitmap then
    local abbr = "metaroce." .. layout.name .. "." .. layout.bitmap.name
    layout.bitmap.proto = register(ProtoField.bytes(abbr, layout.bitmap.label))
    layout.bitmap.count = register(ProtoField.uint16(abbr .. ".count", layout.bitmap.label .. " bits set", base.DEC))
  end
end
proto.fields = all

-- What is known of one packet. `limit` is where the iCRC begins by the packet's length, `have` where
-- the captured bytes end; nothing is read at or behind either.
local function begin(tvb, tree)
  local length = tvb:reported_len()
  return {tvb = tvb, tree = tree, pos = 0, length = length, limit = math.max(length - 4, 0),
          have = tvb:captured_len(), fault = nil, values = {}, summaries = {}}
end

-- The first fault is the one that counts.
local function fault(packet, reason, text)
  if packet.fault then return end
  packet.fault = reason
  packet.tree:add(own.fault, reason):set_generated()
  packet.tree:add_proto_expert_info(expert.fault, reason .. ": " .. text)
end

local function cut(packet)
  if packet.cut then return end
  packet.cut = true
  packet.tree:add_proto_expert_info(
    expert.cut, string.format("The capture holds %d of %d bytes", packet.have, packet.length))
end

-- Bytes from `pos` on that can be read, at most `count`; notes a cut capture.
local function readable(packet, count)
  if packet.pos + count > packet.have then
    cut(packet)
    return math.max(packet.have - packet.pos, 0)
  end
  return count
end

-- Adds `count` bytes as `field` and passes over them.
local function add_bytes(packet, tree, field, count)
  local n = readable(packet, count)
  if n > 0 then tree:add(field, packet.tvb(packet.pos, n)) end
  packet.pos = packet.pos + count
end

local function rest_is(packet, field)
  if packet.pos < packet.limit then add_bytes(packet, packet.tree, field, packet.limit - packet.pos) end
end

-- Values of up to 32 bits are numbers, longer ones UInt64.
local function decimal(value)
  return type(value) == "number" and string.format("%d", value) or tostring(value)
end

local function all_ones(field, value)
  if field.bits <= 32 then return value == 2 ^ field.bits - 1 end
  return decimal(value) == field.max
end

-- " path=3 epoch=1": the fields of a layout that the list of packets shows.
local function summary(layout, values)
  local text = ""
  for _, field in ipairs(layout.fields) do
    local value = values[field.name]
    if value ~= nil and summary_fields[field.name] then
      local shown = decimal(value)
      if field.enum then shown = spec.enums[field.enum][tonumber(shown)] or shown end
      if field.all_ones and all_ones(field, value) then shown = "none" end
      text = text .. " " .. field.name .. "=" .. shown
    end
  end
  return text
end

local function add_field(packet, tree, field, start)
  local range = packet.tvb(start + field.byte, field.span)
  local value = range:bitfield(field.shift, field.bits)
  local item
  if field.computed then
    item = tree:add(field.proto, range, value)
  else
    item = tree:add(field.proto, range)
  end
  if field.all_ones and all_ones(field, value) then item:append_text(" [" .. field.all_ones .. "]") end
  if field.enum and field.bits > 32 then
    local name = spec.enums[field.enum][tonumber(decimal(value))]
    if name then item:append_text(" [" .. name .. "]") end
  end
  if field.reserved and decimal(value) ~= "0" then item:add_proto_expert_info(expert.reserved) end
  return value
end

-- "1, 3-5": the set bits of a bitmap of `count` bytes at `start`, and how many they are.
local function set_bits(packet, start, count)
  local runs, total, first = {}, 0, nil
  for bit = 0, count * 8 do
    local on = false
    if bit < count * 8 then
      local byte = packet.tvb(start + count - 1 - math.floor(bit / 8), 1):uint()
      on = math.floor(byte / 2 ^ (bit % 8)) % 2 == 1
    end
    if on then
      total = total + 1
      first = first or bit
    elseif first then
      runs[#runs + 1] = first == bit - 1 and tostring(first) or (first .. "-" .. (bit - 1))
      first = nil
    end
  end
  return table.concat(runs, ", "), total
end

local function add_bitmap(packet, tree, bitmap, selector, short)
  local bits = bitmap.lengths[selector + 1]
  if not bits then
    fault(packet, short, string.format("No length of the bitmap belongs to the code %d", selector))
    return false
  end
  local bytes = bits / 8
  if packet.pos + bytes > packet.limit then
    fault(packet, short, string.format("A bitmap of %d bytes does not fit in the %d that are left", bytes,
                                       packet.limit - packet.pos))
    return false
  end
  if bytes > 0 and readable(packet, bytes) == bytes then
    local text, total = set_bits(packet, packet.pos, bytes)
    local range = packet.tvb(packet.pos, bytes)
    local item = tree:add(bitmap.proto, range)
    if total > 0 then item:append_text(" (bits " .. text .. ")") end
    tree:add(bitmap.count, range, total):set_generated()
  end
  packet.pos = packet.pos + bytes
  return true
end

-- Adds one layout at `pos`. False where the packet or the capture ends within it: the fields before
-- the end are shown. `short` is the reason to report.
local function add_layout(packet, layout, short)
  local start = packet.pos
  local fits = start + layout.bytes <= packet.limit
  local room = math.min(layout.bytes, math.max(packet.limit - start, 0))
  local have = math.min(room, math.max(packet.have - start, 0))
  if not fits then
    fault(packet, short, string.format("%s needs %d bytes, %d are left", layout.title, layout.bytes, room))
  end
  if have < room then cut(packet) end
  if have == 0 then return false end
  local item = packet.tree:add(layout.proto, packet.tvb(start, have))
  local values = {}
  packet.values[layout.name] = values
  for _, field in ipairs(layout.fields) do
    if field.byte + field.span > have then break end
    values[field.name] = add_field(packet, item, field, start)
    packet.pos = start + field.byte + field.span
  end
  local text = summary(layout, values)
  packet.summaries[#packet.summaries + 1] = text
  if layout.name ~= spec.common and text ~= "" then item:append_text("," .. text) end
  if have < layout.bytes then return false end
  packet.pos = start + layout.bytes
  local bitmap = layout.bitmap
  if not bitmap then return true end
  local ok = add_bitmap(packet, item, bitmap, values[bitmap.selector], short)
  item:set_len(math.min(packet.pos, packet.have) - start)
  return ok
end

local tails = {}

function tails.EMPTY(packet)
  if packet.pos < packet.limit then
    fault(packet, "length-long", string.format("%d bytes follow the headers; none may", packet.limit - packet.pos))
  end
end

function tails.PAYLOAD(packet)
  local room = packet.limit - packet.pos
  local pad = packet.values[spec.common].pad
  if pad > room or (pad > 0 and pad == room) then
    fault(packet, "length-pad", string.format("A pad of %d bytes with %d bytes behind the headers", pad, room))
    return
  end
  packet.tree:add(own.payload_length, room - pad):set_generated()
  packet.note = string.format(" payload=%d", room - pad)
  if room - pad > 0 then add_bytes(packet, packet.tree, own.payload, room - pad) end
  if pad > 0 then add_bytes(packet, packet.tree, own.pad, pad) end
end

function tails.PATH_BLOCKS(packet, opcode)
  local count = packet.values[opcode.count.layout][opcode.count.field]
  count = tonumber(decimal(count))
  packet.headers = table.concat(packet.summaries)  -- without those of the blocks
  packet.note = string.format(" blocks=%d", count)
  if count < opcode.count.min or count > opcode.count.max then
    fault(packet, "block-count", string.format("%d blocks; %d to %d are allowed", count, opcode.count.min,
                                               opcode.count.max))
  end
  local done = 0
  while done < count and packet.pos < packet.limit do
    if not add_layout(packet, spec.layouts[opcode.block], "block-length") then return end
    done = done + 1
  end
  if done < count then
    fault(packet, "block-length", string.format("%d blocks are announced, %d are there", count, done))
  elseif packet.pos < packet.limit then
    fault(packet, "block-length", string.format("%d bytes follow the last block", packet.limit - packet.pos))
  end
end

function tails.OPTIONS(packet)
  while packet.pos < packet.limit do
    local room = packet.limit - packet.pos
    if packet.pos + math.min(room, 4) > packet.have then return cut(packet) end
    local kind = room >= 2 and packet.tvb(packet.pos, 2):uint()
    if kind == 0 then return rest_is(packet, own.filler) end
    if room < 4 then return fault(packet, "options", "An option's type and length do not fit") end
    local length = packet.tvb(packet.pos + 2, 2):uint()
    local padded = math.ceil(length / 4) * 4
    local item = packet.tree:add(own.option, packet.tvb(packet.pos, 4))
    item:append_text(string.format(", type %d, %d bytes", kind, length))
    item:add(own.option_type, packet.tvb(packet.pos, 2))
    item:add(own.option_length, packet.tvb(packet.pos + 2, 2))
    if 4 + padded > room then
      return fault(packet, "options", string.format("An option of %d bytes with %d left", length, room - 4))
    end
    item:set_len(math.min(4 + padded, packet.have - packet.pos))
    packet.pos = packet.pos + 4
    if length > 0 then add_bytes(packet, item, own.option_value, length) end
    if padded > length then add_bytes(packet, item, own.option_padding, padded - length) end
  end
end

function tails.FILLER(packet)
  rest_is(packet, own.filler)
end

-- The headers and the tail of a known opcode. False where the packet ends before its headers do.
local function add_body(packet, opcode)
  for i = 2, #opcode.headers do
    if not add_layout(packet, spec.layouts[opcode.headers[i]], "length-short") then return end
  end
  local pad = packet.values[spec.common].pad
  if opcode.tail ~= "PAYLOAD" and pad and pad ~= 0 then
    fault(packet, "length-pad", string.format("A pad of %d bytes in a packet without payload", pad))
  end
  tails[opcode.tail](packet, opcode)
end

local function unknown_opcode(packet, value)
  local text = string.format("Opcode 0x%02x is not assigned", value)
  for _, range in ipairs(spec.reserved_opcodes) do
    if value >= range.first and value <= range.last then
      text = string.format("Opcode 0x%02x is reserved: %s", value, range.note)
    end
  end
  fault(packet, "opcode-unknown", text)
  packet.tree:add_proto_expert_info(expert.unknown, text)
end

local function info(packet, opcode)
  local text = opcode and string.upper(opcode.name) or "MetaRoCE"
  text = text .. (packet.headers or table.concat(packet.summaries)) .. (packet.note or "")
  if packet.fault then text = text .. " [" .. packet.fault .. "]" end
  return text
end

local function dissect(packet)
  if packet.length % 4 ~= 0 or packet.length < spec.layouts[spec.common].bytes + 4 then
    fault(packet, "packet-length", string.format("%d bytes behind the UDP header", packet.length))
  end
  local whole = add_layout(packet, spec.layouts[spec.common], "packet-length")
  local common = packet.values[spec.common] or {}
  local opcode = common.opcode and spec.opcodes[common.opcode]
  local version = common.version
  if version and spec.version and version ~= spec.version then
    fault(packet, "version", string.format("Version %d; this dissector knows %d", version, spec.version))
    opcode = nil
  elseif common.opcode then
    packet.tree:add(own.class, spec.classes[math.floor(common.opcode / 64)]):set_generated()
    if not opcode then unknown_opcode(packet, common.opcode) end
  end
  if whole and opcode then add_body(packet, opcode) end
  rest_is(packet, own.undecoded)
  if packet.length >= 4 then
    packet.pos = packet.limit
    if readable(packet, 4) == 4 then packet.tree:add_le(own.icrc, packet.tvb(packet.limit, 4)) end
  elseif packet.length > 0 then
    packet.limit = packet.length
    rest_is(packet, own.undecoded)
  end
  return opcode
end

proto.prefs.udp_port = Pref.uint("UDP destination port", spec.udp_port,
                                 "Packets to this UDP port are MetaRoCE")
local port = spec.udp_port
local udp_ports = DissectorTable.get("udp.port")

function proto.dissector(tvb, pinfo, root)
  -- The table of ports matches source ports too, and a path's entropy may equal the port.
  if pinfo.match_uint == port and pinfo.dst_port ~= port then return 0 end
  pinfo.cols.protocol = "MetaRoCE"
  local tree = root:add(proto, tvb())
  local packet = begin(tvb, tree)
  local opcode = dissect(packet)
  local text = info(packet, opcode)
  pinfo.cols.info = text
  tree:append_text(", " .. text)
  return tvb:captured_len()
end

function proto.prefs_changed()
  if proto.prefs.udp_port == port then return end
  udp_ports:remove(port, proto)
  port = proto.prefs.udp_port
  udp_ports:add(port, proto)
end

udp_ports:add(port, proto)
