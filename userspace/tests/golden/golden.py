#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
Golden vectors of RoCEv2 packets, made by scapy's RoCE layer, which shares no code with ours.

    golden.py write                     the vectors as text, to standard output
    golden.py check FILE DIR            KTAP: is FILE what `write` prints, and does tshark read the packets the same way?
    golden.py seeds DIR                 each packet in a file of its own, as a corpus for the fuzzers

scapy computes the ICRC over IPv4 only; over IPv6 it is computed here with zlib, by a function that must agree with scapy
on every IPv4 packet.

A vector is a block of "key value" lines that ends with an empty line. `class` names what follows from the opcode's name
in the InfiniBand specification; `result` is ok, not_roce, short or opcode; other fields stand only where they mean
something.
"""
import os
import shutil
import subprocess
import sys
import zlib

try:
    from scapy.contrib.roce import AETH, BTH, CNPPadding, _bth_opcodes
    from scapy.layers.inet import IP, TCP, UDP, ICMP, IPOption_NOP
    from scapy.layers.inet6 import IPv6, IPv6ExtHdrFragment
    from scapy.layers.l2 import Ether
    from scapy.packet import Raw
    from scapy.utils import wrpcap
    SCAPY = True
except ImportError:
    SCAPY = False

V4 = ("192.0.2.17", "198.51.100.200")
V6 = ("2001:db8::1:17", "2001:db8:ffff:0:a5a5::c8")

# what scapy 2.5.0 does not know: names as in the InfiniBand specification, volume 1, 9.2
MORE_OPCODES = {
    0x16: "RC_SEND_LAST_WITH_INVALIDATE",
    0x17: "RC_SEND_ONLY_WITH_INVALIDATE",
    0x1c: "RC_FLUSH",
    0x1d: "RC_ATOMIC_WRITE",
}


def class_of(name):
    """Words for an opcode's class, from nothing but its name."""
    if name == "CNP":
        return "cnp"
    transport, op = name.split("_", 1)
    if op.startswith("RDMA_READ_RESPONSE"):
        words = [transport.lower(), "read_resp"]
        return " ".join(words if op.endswith("MIDDLE") else words + ["aeth"])
    if op in ("ACKNOWLEDGE", "ATOMIC_ACKNOWLEDGE"):
        return f"{transport.lower()} ack aeth"
    return f"{transport.lower()} req"


def icrc(ip):
    """Invariant CRC of a packet whose last four bytes are the ICRC's place."""
    p = bytearray(ip[:-4])
    if p[0] >> 4 == 4:
        udp = (p[0] & 15) * 4
        variant = [1, 8, 10, 11]
    else:
        udp = 40
        p[0] |= 0x0f
        variant = [1, 2, 3, 7]
    for i in variant + [udp + 6, udp + 7, udp + 8 + 4]:
        p[i] = 0xff
    return zlib.crc32(b"\xff" * 8 + bytes(p)).to_bytes(4, "little")


def ip_layer(version, ecn, ttl=64, dscp=26):
    if version == 4:
        return IP(src=V4[0], dst=V4[1], tos=dscp << 2 | ecn, ttl=ttl, id=0x1234, flags="DF")
    return IPv6(src=V6[0], dst=V6[1], tc=dscp << 2 | ecn, fl=0xabcde, hlim=ttl)


def pattern(n):
    return bytes((i * 7 + 3) & 0xff for i in range(n))


def roce(version, opcode, payload=b"", ecn=2, sport=0xc350, ttl=64, dscp=26, **bth):
    """Bytes of a RoCEv2 packet from the IP header to the ICRC."""
    fields = dict(opcode=opcode, dqpn=0x0a0b0c, psn=0x123456, padcount=-len(payload) % 4)
    fields.update(bth)
    payload += bytes(-len(payload) % 4)
    udp = UDP(sport=sport, dport=4791, chksum=0)
    if version == 4:
        raw = bytes(ip_layer(4, ecn, ttl, dscp) / udp / BTH(**fields) / Raw(payload))
        assert raw[-4:] == icrc(raw), "scapy's ICRC and ours differ"
        return raw
    raw = bytes(ip_layer(6, ecn, ttl, dscp) / udp / BTH(icrc=0, **fields) / Raw(payload))
    return raw[:-4] + icrc(raw)


def aeth(syndrome, msn=0x000777):
    return bytes(AETH(syndrome=syndrome, msn=msn))


def deth(sqpn):
    return bytes.fromhex("8001000000") + sqpn.to_bytes(3, "big")


def vector(name, raw, **fields):
    return dict(name=name, hex=raw.hex(), **fields)


def good(name, version, opcode, words, payload=b"", **kw):
    """A vector that parses, with the fields that were put in."""
    raw = roce(version, opcode, payload, **kw)
    v = vector(name, raw, result="ok", version=version, bytes=len(raw), opcode=opcode, ecn=kw.get("ecn", 2),
               sport=kw.get("sport", 0xc350), dqpn=kw.get("dqpn", 0x0a0b0c), psn=kw.get("psn", 0x123456),
               ackreq=kw.get("ackreq", 0), becn=kw.get("becn", 0), icrc=raw[-4:].hex())
    v["class"] = words
    if "aeth" in words.split():
        v["syndrome"] = payload[0]
    if words.startswith("ud"):
        v["sqpn"] = int.from_bytes(payload[5:8], "big")
    return v


def headers_of(name, number):
    """Extended headers that the opcode demands (InfiniBand specification, volume 1, 9.2 and 9.3)."""
    words = class_of(name).split()
    head = b""
    if "aeth" in words:
        head += aeth(number & 0x1f)
    if "ud" in words:
        head += deth(0x030201)
    if name.endswith(("RDMA_WRITE_FIRST", "RDMA_WRITE_ONLY", "RDMA_WRITE_ONLY_WITH_IMMEDIATE", "RDMA_READ_REQUEST",
                      "ATOMIC_WRITE")):
        head += b"\x11" * 8 + b"\x22" * 4 + (4096).to_bytes(4, "big")
    if name.endswith("FLUSH"):
        head += b"\x00\x00\x00\x01" + b"\x11" * 8 + b"\x22" * 4 + (4096).to_bytes(4, "big")
    if name.endswith(("COMPARE_SWAP", "FETCH_ADD")):
        head += b"\x11" * 8 + b"\x22" * 4 + b"\x33" * 16
    if name.endswith("ATOMIC_ACKNOWLEDGE"):
        head += b"\x44" * 8
    if name.endswith(("IMMEDIATE", "INVALIDATE")):
        head += b"\x55" * 4
    return head


def payload_of(name, number):
    """Some payload, where the opcode has one."""
    if name.endswith(("ACKNOWLEDGE", "REQUEST", "FLUSH", "COMPARE_SWAP", "FETCH_ADD")):
        return b""
    return pattern(8 if name.endswith("ATOMIC_WRITE") else 16 + number % 9)


def opcode_vectors():
    out = []
    for number, name in sorted({**_bth_opcodes, **MORE_OPCODES}.items()):
        if name == "CNP":
            continue
        payload = headers_of(name, number) + payload_of(name, number)
        for version in (4, 6):
            label = f"{name.lower()}_v{version}"
            if name.startswith("RD_"):
                out.append(vector(label, roce(version, number, payload), result="opcode"))
            else:
                out.append(good(label, version, number, class_of(name), payload, ecn=number % 4,
                                psn=(number * 0x10101) & 0xffffff, sport=49152 + number, ackreq=number & 1))
    return out


def cnp(version, sport, dqpn, ttl, dscp):
    flow = dict(dscp=dscp, ttl=ttl, flow="cnp")
    raw = roce(version, 0x81, bytes(CNPPadding()), ecn=0, sport=sport, ttl=ttl, dscp=dscp, dqpn=dqpn, psn=0, becn=1)
    if version == 4:
        # scapy's own way to write one
        again = ip_layer(4, 0, ttl, dscp) / UDP(sport=sport, dport=4791, chksum=0) / \
            BTH(opcode=0x81, becn=1, dqpn=dqpn) / CNPPadding()
        assert raw == bytes(again)
    else:
        # we send flow label 0; it is not covered by the ICRC
        raw = raw[:1] + bytes([raw[1] & 0xf0, 0, 0]) + raw[4:]
    return dict(vector(f"cnp_v{version}_{dqpn:x}", raw, result="ok", version=version, bytes=len(raw), opcode=0x81,
                       ecn=0, sport=sport, dqpn=dqpn, psn=0, ackreq=0, becn=1, icrc=raw[-4:].hex(), **flow),
                **{"class": "cnp"})


def special_vectors():
    out = []
    for version in (4, 6):
        out += [cnp(version, 49152, 17, 64, 48), cnp(version, 65535, 0xffffff, 255, 0), cnp(version, 1, 0, 1, 63)]
        v = f"_v{version}"
        out += [
            good("ack_credits" + v, version, 0x11, "rc ack aeth", aeth(0x1f)),
            good("rnr_nak" + v, version, 0x11, "rc ack aeth", aeth(0x2e)),
            good("nak_seq" + v, version, 0x11, "rc ack aeth", aeth(0x60)),
            good("nak_invalid" + v, version, 0x11, "rc ack aeth", aeth(0x61), psn=0xffffff),
            good("write_1024" + v, version, 0x07, "rc req", pattern(1024), psn=0),
            good("write_ce" + v, version, 0x08, "rc req", pattern(61), ecn=3, ackreq=1, psn=0xffffff),
            good("write_becn_fecn" + v, version, 0x08, "rc req", pattern(64), becn=1, fecn=1, ttl=1),
            good("write_flags" + v, version, 0x0a, "rc req", pattern(5), solicited=1, migreq=1, pkey=0x7fff, ttl=255),
            good("read_resp_only_1000" + v, version, 0x10, "rc read_resp aeth", aeth(0x05) + pattern(1000)),
            good("link_control" + v, version, 0xe1, "ctl", pattern(28), psn=0),
            good("ud_gsi" + v, version, 0x64, "ud req", deth(1) + pattern(256), dqpn=1),
            good("send_only_empty" + v, version, 0x04, "rc req", b"", dqpn=0xffffff, ecn=1),
        ]
    plain = UDP(sport=49152, dport=4791, chksum=0) / BTH(opcode=4, dqpn=17)
    out += [
        vector("other_port", bytes(ip_layer(4, 2) / UDP(sport=4791, dport=4790) / Raw(pattern(40))), result="not_roce"),
        vector("tcp_4791", bytes(ip_layer(4, 2) / TCP(dport=4791) / Raw(pattern(40))), result="not_roce"),
        vector("icmp", bytes(ip_layer(4, 0) / ICMP() / Raw(pattern(40))), result="not_roce"),
        vector("ip_options", bytes(IP(src=V4[0], dst=V4[1], options=[IPOption_NOP()] * 4) / plain), result="not_roce"),
        vector("first_fragment", bytes(IP(src=V4[0], dst=V4[1], flags="MF") / plain), result="not_roce"),
        vector("later_fragment", bytes(IP(src=V4[0], dst=V4[1], frag=100) / plain), result="not_roce"),
        vector("v6_fragment", bytes(IPv6(src=V6[0], dst=V6[1]) / IPv6ExtHdrFragment() / UDP(dport=4791) /
                                    Raw(pattern(40))), result="not_roce"),
        vector("udp_too_short", bytes(ip_layer(4, 2) / UDP(sport=1, dport=4791) / Raw(pattern(15))), result="short"),
        vector("udp_too_long", bytes(ip_layer(4, 2) / UDP(sport=1, dport=4791, len=77) / Raw(pattern(40))),
               result="short"),
        vector("v6_udp_too_long", bytes(ip_layer(6, 2) / UDP(sport=1, dport=4791, len=77) / Raw(pattern(40))),
               result="short"),
        vector("ip_too_long", bytes(IP(src=V4[0], dst=V4[1], len=500) / UDP(sport=1, dport=4791, len=480) /
                                    Raw(pattern(40))), result="short"),
        vector("ack_without_aeth", roce(4, 0x11), result="short"),
        vector("ud_with_half_deth", roce(6, 0x64, pattern(4)), result="short"),
        vector("manufacturer_opcode", roce(4, 0xe2, pattern(16)), result="opcode"),
    ]
    return out


def vectors():
    return opcode_vectors() + special_vectors()


def text(vecs):
    head = "# SPDX-License-Identifier: GPL-2.0\n# Written by golden.py; do not edit.\n\n"
    return head + "".join("".join(f"{k} {v}\n" for k, v in vec.items()) + "\n" for vec in vecs)


TSHARK = {
    "infiniband.bth.opcode": "opcode",
    "infiniband.bth.destqp": "dqpn",
    "infiniband.bth.psn": "psn",
    "infiniband.bth.a": "ackreq",
    "udp.srcport": "sport",
    "infiniband.invariant.crc": "icrc",
    "infiniband.aeth.syndrome": "syndrome",
    "infiniband.deth.srcqp": "sqpn",
    "ip.dsfield.ecn": "ecn",
    "ipv6.tclass.ecn": "ecn",
}


def number(s):
    return {"True": 1, "False": 0}.get(s) if s in ("True", "False") else int(s, 0)


def want_of(vec, field):
    key = TSHARK[field]
    if field.startswith("ip") and not field.startswith("ipv6" if vec["version"] == 6 else "ip."):
        return None
    if key not in vec:
        return None
    return int(vec[key], 16) if key == "icrc" else vec[key]


def tshark_differences(vecs, directory):
    """Fields on which tshark and the vectors disagree. It shows the ICRC of some opcodes only."""
    pcap = os.path.join(directory, "golden.pcap")
    packets = [Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02", type=0x800 if v["version"] == 4 else 0x86dd) /
               Raw(bytes.fromhex(v["hex"])) for v in vecs]
    wrpcap(pcap, packets)
    command = ["tshark", "-r", pcap, "-T", "fields", "-E", "separator=,"]
    for field in TSHARK:
        command += ["-e", field]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    bad = [] if len(lines) == len(vecs) else [f"{len(vecs)} packets, {len(lines)} lines"]
    compared = 0
    for vec, line in zip(vecs, lines):
        for field, got in zip(TSHARK, line.split(",")):
            want = want_of(vec, field)
            if want is None or (field == "infiniband.invariant.crc" and not got):
                continue
            compared += 1
            if not got or number(got) != want:
                bad.append(f"{vec['name']}: {field} is {got or 'absent'}, not {want}")
    if compared < 6 * len(vecs):
        bad.append(f"only {compared} fields compared")
    return bad


def report(number_, sentence, bad, skip=None):
    for line in bad:
        print(f"# {line}")
    print(f"{'not ok' if bad else 'ok'} {number_} - {sentence}" + (f" # SKIP {skip}" if skip else ""))
    return bool(bad)


def check(path, directory):
    print("KTAP version 1\n1..2")
    same = "scapy makes the golden vectors again, byte for byte"
    agree = "tshark reads the fields of every golden vector as they were written"
    if not SCAPY:
        report(1, same, [], "no scapy")
        report(2, agree, [], "no scapy")
        return 0
    vecs = vectors()
    with open(path, encoding="ascii") as f:
        committed = f.read()
    failed = report(1, same, [] if committed == text(vecs) else [f"{path} differs from what golden.py writes"])
    if shutil.which("tshark"):
        failed |= report(2, agree, tshark_differences([v for v in vecs if v["result"] == "ok"], directory))
    else:
        report(2, agree, [], "no tshark")
    return int(failed)


def seeds(directory):
    """From the committed text, so that no scapy is needed."""
    here = os.path.dirname(os.path.abspath(__file__))
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(here, "golden.txt"), encoding="ascii") as f:
        blocks = f.read().split("\n\n")
    for block in blocks:
        vec = dict(line.split(" ", 1) for line in block.splitlines() if not line.startswith("#") and " " in line)
        if "hex" in vec:
            with open(os.path.join(directory, vec["name"]), "wb") as f:
                f.write(bytes.fromhex(vec["hex"]))
    return 0


def main(argv):
    if argv[1:] == ["write"]:
        sys.stdout.write(text(vectors()))
        return 0
    if len(argv) == 4 and argv[1] == "check":
        return check(argv[2], argv[3])
    if len(argv) == 3 and argv[1] == "seeds":
        return seeds(argv[2])
    sys.stderr.write(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
