#!/bin/bash
# Wireshark's tools read what PcapngWriter writes, and the readers read what the
# tools write.
set -euo pipefail

tool=$PWD/$1
export HOME=$TEST_TMPDIR
cd "$TEST_TMPDIR"
failed=0

for program in tshark text2pcap editcap; do
  if ! command -v "$program" > /dev/null; then
    echo "$program is not installed (Debian: tshark, wireshark-common)" >&2
    exit 1
  fi
done

# same NAME: standard input must be the file NAME.
same() {
  if ! diff -u --label expected --label "$1" - "$1"; then failed=1; fi
}

"$tool" write > written.pcapng
tshark -r written.pcapng -T fields -E separator='|' \
  -e frame.time_epoch -e frame.len -e frame.cap_len -e frame.interface_name \
  -e frame.packet_flags_direction -e frame.comment -e ip.src -e udp.dstport \
  > tshark.out 2> tshark.err || { cat tshark.err; exit 1; }
same tshark.out << 'END'
0.000000000|74|74|host port|0x00000001|the first, at the epoch|10.0.0.1|49154
1700000000.123456789|74|74|host port|0x00000002||10.0.0.1|49154
1700000000.123456790|31|31|raw||raw ä IP|10.0.0.1|49154
4000000000.999999999|74|60|host port||cut|10.0.0.1|49154
END

# Written again by Wireshark, every field is still there.
editcap -F pcapng written.pcapng rewritten.pcapng
for file in written rewritten; do
  "$tool" dump "$file.pcapng" > "$file.out"
  same "$file.out" << 'END'
0 link=1 if=host port len=74/74 dir=1 [the first, at the epoch] 00000000..5a5a5a5a
1700000000123456789 link=1 if=host port len=74/74 dir=2 [] 00000000..5a5a5a5a
1700000000123456790 link=101 if=raw len=31/31 dir=0 [raw ä IP] 4500001f..005a5a5a
4000000000999999999 link=1 if=host port len=60/74 dir=0 [cut] 00000000..5a5a5a5a
pcapng: OK
END
done

# Files that this project had no part in: from a hex dump, with times and
# directions, in each format.
cat > dump.txt << 'END'
I 1600000000.000001
0000 02 00 00 00 00 02 02 00 00 00 00 01 08 00 45 00
0010 00 1c 00 00 40 00 40 11 26 cf 0a 00 00 01 0a 00
0020 00 02 c0 01 c0 02 00 08 00 00
O 1600000001.987654321
0000 01 02 03 04
END
text2pcap -q -F pcap -D -t '%s.%f' dump.txt us.pcap 2> /dev/null
text2pcap -q -F nsecpcap -D -t '%s.%f' dump.txt ns.pcap 2> /dev/null
text2pcap -q -F pcapng -N portA -D -t '%s.%f' dump.txt ng.pcapng 2> /dev/null
text2pcap -q -F pcap -l 101 -D -t '%s.%f' dump.txt raw.pcap 2> /dev/null
editcap -F pcap -s 12 ng.pcapng cut.pcap
editcap -F pcapng -a 1:why -a 2:'because of it' ng.pcapng comment.pcapng
cat ng.pcapng comment.pcapng > sections.pcapng
head -c 100 us.pcap > truncated.pcap
for file in us.pcap ns.pcap ng.pcapng raw.pcap cut.pcap comment.pcapng sections.pcapng \
  truncated.pcap; do
  echo "== $file"
  "$tool" dump "$file"
done > foreign.out
same foreign.out << 'END'
== us.pcap
1600000000000001000 link=1 if= len=42/42 dir=0 [] 02000000..00080000
1600000001987654000 link=1 if= len=4/4 dir=0 [] 01020304..01020304
pcap: OK
== ns.pcap
1600000000000001000 link=1 if= len=42/42 dir=0 [] 02000000..00080000
1600000001987654321 link=1 if= len=4/4 dir=0 [] 01020304..01020304
pcap: OK
== ng.pcapng
1600000000000001000 link=1 if=portA len=42/42 dir=1 [] 02000000..00080000
1600000001987654321 link=1 if=portA len=4/4 dir=2 [] 01020304..01020304
pcapng: OK
== raw.pcap
1600000000000001000 link=101 if= len=42/42 dir=0 [] 02000000..00080000
1600000001987654000 link=101 if= len=4/4 dir=0 [] 01020304..01020304
pcap: OK
== cut.pcap
1600000000000001000 link=1 if= len=12/42 dir=0 [] 02000000..00000001
1600000001987654000 link=1 if= len=4/4 dir=0 [] 01020304..01020304
pcap: OK
== comment.pcapng
1600000000000001000 link=1 if=portA len=42/42 dir=1 [why] 02000000..00080000
1600000001987654321 link=1 if=portA len=4/4 dir=2 [because of it] 01020304..01020304
pcapng: OK
== sections.pcapng
1600000000000001000 link=1 if=portA len=42/42 dir=1 [] 02000000..00080000
1600000001987654321 link=1 if=portA len=4/4 dir=2 [] 01020304..01020304
1600000000000001000 link=1 if=portA len=42/42 dir=1 [why] 02000000..00080000
1600000001987654321 link=1 if=portA len=4/4 dir=2 [because of it] 01020304..01020304
pcapng: OK
== truncated.pcap
1600000000000001000 link=1 if= len=42/42 dir=0 [] 02000000..00080000
pcap: DATA_LOSS: The capture ends at byte 100, inside the packet record that begins at byte 82 and needs 20 bytes.
END

exit "$failed"
