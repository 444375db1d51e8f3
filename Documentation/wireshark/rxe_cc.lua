-- SPDX-License-Identifier: GPL-2.0
--
-- rxe_cc.lua - Wireshark shows what two rxe_cc hosts say to each other (Documentation/wire.rst).
--
--	wireshark -X lua_script:Documentation/wireshark/rxe_cc.lua
--	tshark -X lua_script:Documentation/wireshark/rxe_cc.lua -r FILE -Y rxe_cc
--
-- or copy it to ~/.local/lib/wireshark/plugins/. It takes UDP port 4791 from Wireshark's own dissector and hands on to it
-- what is standard: packets of others as they are, packets with a trailer without the trailer, so that their last four
-- bytes are their ICRC again.
--
-- A packet does not say that it has a trailer. It has one if the ICRC holds for the packet as it was before, which the
-- trailer tells how to restore: 20 bytes shorter, with its own source port. If the capture has the handshake or a
-- control packet to the same QP, the check of the trailer is judged, too.

local PORT = 4791
local CTL_OPCODE = 0xe1
local LAST_RC_OPCODE = 0x1f
local VERSION = 1
local BTH_BYTES, ICRC_BYTES, CTL_HDR_BYTES, TRAILER_BYTES = 12, 4, 8, 20
local MAX_WORDS = 8
local MAX_FLAGS = 7
-- The state of the CRC after the 8 bytes of ones with which every ICRC begins.
local ICRC_SEED = 0xdebb20e3

local HELLO, HELLO_ACK, SACK, PROBE, PROBE_REPLY, BYE = 1, 2, 3, 4, 5, 6
local types = {
	[HELLO] = "HELLO", [HELLO_ACK] = "HELLO_ACK", [SACK] = "SACK", [PROBE] = "PROBE",
	[PROBE_REPLY] = "PROBE_REPLY", [BYE] = "BYE",
}
local verdicts = { [0] = "Bad", [1] = "Good", [2] = "Unverified" }
local BAD, GOOD, UNVERIFIED = 0, 1, 2

local proto = Proto("rxe_cc", "RXE-CC link layer")

-- --- fields ---

local f = {
	dqpn = ProtoField.uint24("rxe_cc.dqpn", "Destination QP", base.HEX),
	icrc = ProtoField.uint32("rxe_cc.icrc", "ICRC", base.HEX),
	icrc_status = ProtoField.uint8("rxe_cc.icrc.status", "ICRC status", base.DEC, verdicts),
	type = ProtoField.uint8("rxe_cc.type", "Type", base.DEC, types),
	version = ProtoField.uint8("rxe_cc.version", "Version"),
	length = ProtoField.uint16("rxe_cc.length", "Length of the body"),
	token = ProtoField.uint32("rxe_cc.token", "Token of the receiver", base.HEX),

	hello_token = ProtoField.uint32("rxe_cc.hello.token", "Token of the sender", base.HEX),
	hello_caps = ProtoField.uint32("rxe_cc.hello.caps", "Capabilities", base.HEX),
	hello_cap_sack = ProtoField.bool("rxe_cc.hello.caps.sack", "Puts in order and says what has come", 32, nil, 1),
	hello_cap_probe = ProtoField.bool("rxe_cc.hello.caps.probe", "Answers PROBE", 32, nil, 2),
	hello_first = ProtoField.uint32("rxe_cc.hello.first", "First sequence number"),
	hello_window = ProtoField.uint16("rxe_cc.hello.window", "Window (packets)"),
	hello_flags = ProtoField.uint16("rxe_cc.hello.flags", "Flags", base.HEX),
	hello_ready = ProtoField.bool("rxe_cc.hello.flags.ready", "Takes trailers", 16, nil, 1),
	hello_hold = ProtoField.uint32("rxe_cc.hello.hold", "Longest wait for a gap (us)"),
	hello_your_first = ProtoField.uint32("rxe_cc.hello.your_first", "First sequence number of the receiver"),

	sack_cum = ProtoField.uint32("rxe_cc.sack.cum", "All before this have come"),
	sack_echo_seq = ProtoField.uint32("rxe_cc.sack.echo_seq", "Came last"),
	sack_echo_time = ProtoField.uint32("rxe_cc.sack.echo_time", "Time in its trailer (ns)"),
	sack_delay = ProtoField.uint32("rxe_cc.sack.delay", "It came so long ago (ns)"),
	sack_dups = ProtoField.uint32("rxe_cc.sack.dups", "Packets that came twice"),
	sack_words = ProtoField.uint16("rxe_cc.sack.words", "Words of the bitmap"),
	sack_rcvd = ProtoField.string("rxe_cc.sack.rcvd", "Has come"),
	sack_ce = ProtoField.string("rxe_cc.sack.ce", "Came with CE"),

	probe_t1 = ProtoField.uint64("rxe_cc.probe.t1", "PROBE left, sender's clock (ns)"),
	probe_t2 = ProtoField.uint64("rxe_cc.probe.t2", "PROBE came, peer's clock (ns)"),
	probe_t3 = ProtoField.uint64("rxe_cc.probe.t3", "Reply left, peer's clock (ns)"),
	probe_path = ProtoField.uint32("rxe_cc.probe.path", "Path"),

	seq = ProtoField.uint32("rxe_cc.trailer.seq", "Sequence number"),
	time = ProtoField.uint32("rxe_cc.trailer.time", "Sender's clock (ns)"),
	ack = ProtoField.uint32("rxe_cc.trailer.ack", "All of the other direction before this have come"),
	sport = ProtoField.uint16("rxe_cc.trailer.sport", "Source port before the spray"),
	flags = ProtoField.uint8("rxe_cc.trailer.flags", "Flags", base.HEX),
	flag_repeat = ProtoField.bool("rxe_cc.trailer.flags.repeat", "Was sent before", 8, nil, 1),
	flag_ack = ProtoField.bool("rxe_cc.trailer.flags.ack", "May be handed on early", 8, nil, 2),
	flag_ask = ProtoField.bool("rxe_cc.trailer.flags.ask", "Asks for a SACK", 8, nil, 4),
	trailer_version = ProtoField.uint8("rxe_cc.trailer.version", "Version"),
	check = ProtoField.uint32("rxe_cc.trailer.check", "Check", base.HEX),
	check_token = ProtoField.uint32("rxe_cc.trailer.token", "Token that makes the check right", base.HEX),
	check_status = ProtoField.uint8("rxe_cc.trailer.check.status", "Check status", base.DEC, verdicts),
}

local e = {
	malformed = ProtoExpert.new("rxe_cc.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR),
	version = ProtoExpert.new("rxe_cc.bad_version", "Unknown version", expert.group.PROTOCOL, expert.severity.WARN),
	icrc = ProtoExpert.new("rxe_cc.bad_icrc", "Wrong ICRC", expert.group.CHECKSUM, expert.severity.ERROR),
	check = ProtoExpert.new("rxe_cc.bad_check", "The check fits no token that is known", expert.group.CHECKSUM,
		expert.severity.ERROR),
	truncated = ProtoExpert.new("rxe_cc.truncated", "Not captured whole", expert.group.PROTOCOL, expert.severity.NOTE),
}

proto.fields = f
proto.experts = e

-- The ICRC covers the headers below UDP.
local ip4_field, ip6_field = Field.new("ip"), Field.new("ipv6")

-- --- CRC-32, as the kernel's crc32_le() ---

-- Bit operations may return negative numbers.
local function unsigned(x)
	return x % 0x100000000
end

local crc_table = {}
for i = 0, 255 do
	local c = i
	for _ = 1, 8 do
		c = bit.bxor(bit.rshift(c, 1), c % 2 == 1 and 0xedb88320 or 0)
		c = unsigned(c)
	end
	crc_table[i] = c
end

local function crc32(crc, s)
	for i = 1, #s do
		crc = bit.bxor(crc_table[bit.band(bit.bxor(crc, s:byte(i)), 0xff)], bit.rshift(crc, 8))
	end
	return unsigned(crc)
end

-- --- ICRC ---

local function be16(v)
	return string.char(math.floor(v / 256) % 256, v % 256)
end

-- The IP header as the ICRC sees it, for that many bytes of UDP payload; nil if it is not to be had.
local function icrc_ip_header(bytes)
	local ip4, ip6 = { ip4_field() }, { ip6_field() }
	if #ip4 > 0 and ip4[#ip4].range:len() == 20 then
		local h = ip4[#ip4].range:raw()
		return h:sub(1, 1) .. "\xff" .. be16(20 + 8 + bytes) .. h:sub(5, 8) .. "\xff" .. h:sub(10, 10) .. "\xff\xff" ..
			h:sub(13)
	end
	if #ip6 > 0 and ip6[#ip6].range:len() >= 40 then
		local h = ip6[#ip6].range:raw()
		return "\x6f\xff\xff\xff" .. be16(8 + bytes) .. h:sub(7, 7) .. "\xff" .. h:sub(9, 40)
	end
	return nil
end

-- Is the ICRC right if the packet had that many bytes of UDP payload and this source port?
local function icrc_verdict(tvb, bytes, sport)
	local ip = icrc_ip_header(bytes)
	if not ip or tvb:len() < bytes or bytes < BTH_BYTES + ICRC_BYTES then
		return UNVERIFIED
	end
	local data = tvb:raw(0, bytes - ICRC_BYTES)
	local crc = crc32(ICRC_SEED, ip .. be16(sport) .. be16(PORT) .. be16(8 + bytes) .. "\xff\xff")
	crc = crc32(crc, data:sub(1, 4) .. "\xff" .. data:sub(6))
	return 0xffffffff - crc == tvb(bytes - ICRC_BYTES, ICRC_BYTES):le_uint() and GOOD or BAD
end

-- --- tokens ---

-- By address and QP: all tokens that somebody who knew gave back to it.
local tokens = {}

function proto.init()
	tokens = {}
end

local function tokens_of(tvb, pinfo)
	local key = tostring(pinfo.dst) .. "/" .. tvb(5, 3):uint()
	tokens[key] = tokens[key] or {}
	return tokens[key]
end

-- --- the check of trailers: a sum keyed with the token ---

local GOLDEN = UInt64.new(0x7f4a7c15, 0x9e3779b9)

local function mix(v)
	v = v * GOLDEN
	return v:bxor(v:rshift(32))
end

local function trailer_check(t, token)
	local v = mix(UInt64.new(token, token):bxor(t(0, 8):uint64()))
	v = mix(v:bxor(t(8, 8):uint64()))
	return mix(v:bxor(UInt64.new(token, 0))):higher()
end

-- The token of those known that makes the check right; nil if none does.
local function token_of(t, known)
	for token in pairs(known) do
		if trailer_check(t, token) == t(16, 4):uint() then
			return token
		end
	end
	return nil
end

-- --- control packets ---

local function add_hello(tree, body, info)
	tree:add(f.hello_token, body(0, 4))
	local caps = tree:add(f.hello_caps, body(4, 4))
	caps:add(f.hello_cap_sack, body(4, 4))
	caps:add(f.hello_cap_probe, body(4, 4))
	tree:add(f.hello_first, body(8, 4))
	tree:add(f.hello_window, body(12, 2))
	local flags = tree:add(f.hello_flags, body(14, 2))
	flags:add(f.hello_ready, body(14, 2))
	tree:add(f.hello_hold, body(16, 4))
	tree:add(f.hello_your_first, body(20, 4))
	return string.format("%s token=0x%08x first=%d%s", info, body(0, 4):uint(), body(8, 4):uint(),
		body(15, 1):bitfield(7, 1) == 1 and " ready" or "")
end

-- The bits of words of 8 bytes as ranges of sequence numbers, the first bit being that of number first.
local function add_ranges(tree, field, words, first)
	local start, count = nil, 0
	local bits = 8 * words:len()
	for i = 0, bits do
		local at = math.floor(i / 64) * 8 + 7 - math.floor(i / 8) % 8
		local set = i < bits and words(at, 1):bitfield(7 - i % 8, 1) == 1
		if set then
			start = start or i
			count = count + 1
		elseif start then
			local from, to = unsigned(first + start), unsigned(first + i - 1)
			tree:add(field, words, from == to and tostring(from) or from .. "-" .. to)
			start = nil
		end
	end
	return count
end

local function add_sack(tree, body, info)
	local cum, words = body(0, 4):uint(), body(20, 2):uint()
	tree:add(f.sack_cum, body(0, 4))
	tree:add(f.sack_echo_seq, body(4, 4))
	tree:add(f.sack_echo_time, body(8, 4))
	tree:add(f.sack_delay, body(12, 4))
	tree:add(f.sack_dups, body(16, 4))
	local item = tree:add(f.sack_words, body(20, 2))
	if words > MAX_WORDS or body:len() ~= 24 + 8 * (2 * words + 1) then
		item:add_proto_expert_info(e.malformed, "The bitmaps do not fit the length")
		return info .. " malformed"
	end
	local rcvd = words > 0 and add_ranges(tree, f.sack_rcvd, body(24, 8 * words), cum) or 0
	local ce = add_ranges(tree, f.sack_ce, body(24 + 8 * words, 8 * (words + 1)), cum - 64)
	return string.format("%s cum=%d and %d more, %d with CE", info, cum, rcvd, ce)
end

local function add_probe(tree, body, info)
	tree:add(f.probe_t1, body(0, 8))
	tree:add(f.probe_path, body(8, 4))
	return string.format("%s path=%d", info, body(8, 4):uint())
end

local function add_probe_reply(tree, body, info)
	tree:add(f.probe_t1, body(0, 8))
	tree:add(f.probe_t2, body(8, 8))
	tree:add(f.probe_t3, body(16, 8))
	tree:add(f.probe_path, body(24, 4))
	return string.format("%s path=%d, %s ns at the peer", info, body(24, 4):uint(),
		tostring(body(16, 8):uint64() - body(8, 8):uint64()))
end

-- By type: length of the body, or the least one, and what shows it.
local bodies = {
	[HELLO] = { bytes = 24, add = add_hello },
	[HELLO_ACK] = { bytes = 24, add = add_hello },
	[SACK] = { bytes = 32, longer = true, add = add_sack },
	[PROBE] = { bytes = 12, add = add_probe },
	[PROBE_REPLY] = { bytes = 28, add = add_probe_reply },
	[BYE] = { bytes = 0, add = function(_, _, info) return info end },
}

-- What is wrong with a control packet before its body is read: an expert info and a text; nil if nothing.
local function flaw(hdr, bytes)
	local body = bodies[hdr(0, 1):uint()]
	if hdr(1, 1):uint() ~= VERSION then
		return e.version, "Unknown version"
	elseif not body then
		return e.malformed, "Unknown type"
	elseif hdr(2, 2):uint() ~= bytes then
		return e.malformed, "The length is not that of the packet"
	elseif bytes < body.bytes or (bytes > body.bytes and not body.longer) then
		return e.malformed, "The length is not one of this type"
	end
	return nil
end

local function add_icrc(tree, range, verdict)
	tree:add(f.icrc, range)
	local item = tree:add(f.icrc_status, range, verdict):set_generated()
	if verdict == BAD then
		item:add_proto_expert_info(e.icrc)
	end
end

local function add_control(tree, tvb, pinfo)
	local bytes = tvb:len() - BTH_BYTES - CTL_HDR_BYTES - ICRC_BYTES
	local hdr = tvb(BTH_BYTES, CTL_HDR_BYTES)
	local type = hdr(0, 1):uint()
	local verdict = icrc_verdict(tvb, tvb:len(), pinfo.src_port)
	local info = types[type] or "type " .. type

	tree:add(f.type, hdr(0, 1))
	tree:add(f.version, hdr(1, 1))
	tree:add(f.length, hdr(2, 2))
	tree:add(f.token, hdr(4, 4))
	local expert_info, text = flaw(hdr, bytes)
	if expert_info then
		tree:add_proto_expert_info(expert_info, text)
		info = info .. ", " .. text
	else
		if type ~= HELLO and verdict ~= BAD then
			tokens_of(tvb, pinfo)[hdr(4, 4):uint()] = true
		end
		info = bodies[type].add(tree, bytes > 0 and tvb(BTH_BYTES + CTL_HDR_BYTES, bytes), info)
	end
	add_icrc(tree, tvb(tvb:len() - ICRC_BYTES, ICRC_BYTES), verdict)
	return info
end

local function control(tvb, pinfo, root)
	local tree = root:add(proto, tvb(), "RXE-CC control packet")
	local info

	pinfo.cols.protocol = "rxe_cc"
	if tvb:len() < tvb:reported_len() then
		tree:add_proto_expert_info(e.truncated)
		info = "not captured whole"
	elseif tvb:len() < BTH_BYTES + CTL_HDR_BYTES + ICRC_BYTES then
		tree:add_proto_expert_info(e.malformed, "Too short for a control packet")
		info = "too short"
	else
		tree:add(f.dqpn, tvb(5, 3))
		info = add_control(tree, tvb, pinfo)
	end
	pinfo.cols.info = info
	tree:append_text(": " .. info)
end

-- --- trailers ---

local function add_trailer(root, tvb, t, verdict, known)
	local token = token_of(t, known)
	local tree = root:add(proto, t, string.format("RXE-CC trailer: seq=%d ack=%d", t(0, 4):uint(), t(8, 4):uint()))
	local status = not next(known) and UNVERIFIED or token and GOOD or BAD

	tree:add(f.dqpn, tvb(5, 3))
	tree:add(f.seq, t(0, 4))
	tree:add(f.time, t(4, 4))
	tree:add(f.ack, t(8, 4))
	tree:add(f.sport, t(12, 2))
	local flags = tree:add(f.flags, t(14, 1))
	flags:add(f.flag_repeat, t(14, 1))
	flags:add(f.flag_ack, t(14, 1))
	flags:add(f.flag_ask, t(14, 1))
	tree:add(f.trailer_version, t(15, 1))
	tree:add(f.check, t(16, 4))
	if token then
		tree:add(f.check_token, t(16, 4), token):set_generated()
	end
	local item = tree:add(f.check_status, t(16, 4), status):set_generated()
	if status == BAD then
		item:add_proto_expert_info(e.check)
	end
	add_icrc(tree, tvb(tvb:len() - TRAILER_BYTES - ICRC_BYTES, ICRC_BYTES), verdict)
end

-- The trailer of a packet, if it has one, and whether the packet's ICRC is right, of the packet before it if it has.
local function find_trailer(tvb, pinfo, known)
	local bytes = tvb:len()
	if bytes < tvb:reported_len() or bytes < BTH_BYTES + ICRC_BYTES or tvb(0, 1):uint() > LAST_RC_OPCODE then
		return nil, UNVERIFIED
	end
	local likely = bytes >= BTH_BYTES + ICRC_BYTES + TRAILER_BYTES and tvb(bytes - 5, 1):uint() == VERSION and
		tvb(bytes - 6, 1):uint() <= MAX_FLAGS
	if not likely and not next(known) then
		return nil, UNVERIFIED
	end
	local plain = icrc_verdict(tvb, bytes, pinfo.src_port)
	if not likely or plain == GOOD then
		return nil, plain
	end
	local t = tvb(bytes - TRAILER_BYTES, TRAILER_BYTES)
	local verdict = icrc_verdict(tvb, bytes - TRAILER_BYTES, t(12, 2):uint())
	if verdict == GOOD or token_of(t, known) then
		return t, verdict
	end
	return nil, plain
end

-- --- port 4791 ---

local ports = DissectorTable.get("udp.port")
local standard = ports:get_dissector(PORT)

-- What is malformed to Wireshark's own dissector says so in the tree, and is no error of this script.
local function call_standard(tvb, pinfo, root)
	pcall(standard.call, standard, tvb, pinfo, root)
end

local function data(tvb, pinfo, root)
	local known = tvb:len() >= BTH_BYTES and tokens_of(tvb, pinfo) or {}
	local t, verdict = find_trailer(tvb, pinfo, known)
	if not t then
		call_standard(tvb, pinfo, root)
		if verdict == BAD and next(known) then
			root:add(proto, tvb(), "RXE-CC: no ICRC holds, with a trailer or without"):add_proto_expert_info(e.icrc)
		end
		return
	end
	call_standard(tvb(0, tvb:len() - TRAILER_BYTES):tvb(), pinfo, root)
	pinfo.cols.info:append(string.format(" [rxe_cc seq=%d]", t(0, 4):uint()))
	add_trailer(root, tvb, t, verdict, known)
end

function proto.dissector(tvb, pinfo, root)
	if tvb:len() > 0 and tvb(0, 1):uint() == CTL_OPCODE then
		control(tvb, pinfo, root)
	else
		data(tvb, pinfo, root)
	end
	return tvb:len()
end

ports:set(PORT, proto)
