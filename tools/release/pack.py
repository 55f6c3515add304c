#!/usr/bin/env python3
"""Packs a release: the same files give the same bytes, whoever packs them, when and where.

usage: pack.py OUT.tar.gz REGISTRY.json PLACE=FILE...

PLACE is where FILE stands in the release; what stands in bin/ may be run. A PLACE that ends with a
slash is a folder that keeps FILE's path behind its last folder of that name: vectors/=vectors/a/b.json.
The folder of it all is named after the version of the text in REGISTRY. SHA256SUMS lists every file.
"""

import gzip
import hashlib
import io
import json
import pathlib
import sys
import tarfile


def place_of(place: str, path: str) -> str:
    if not place.endswith("/"):
        return place
    folder = place.rstrip("/").split("/")[-1]
    parts = pathlib.PurePath(path).parts
    if folder not in parts[:-1]:
        return place + parts[-1]
    last = len(parts) - 2 - parts[:-1][::-1].index(folder)
    return place + "/".join(parts[last + 1 :])


def member(name: str, contents: bytes, mode: int) -> tuple[tarfile.TarInfo, io.BytesIO]:
    """With nothing in it of the machine or the moment."""
    info = tarfile.TarInfo(name)
    info.size = len(contents)
    info.mode = mode
    info.mtime = 0
    return info, io.BytesIO(contents)


def main() -> int:
    if len(sys.argv) < 4:
        print(__doc__, file=sys.stderr)
        return 2
    out, registry, *entries = sys.argv[1:]
    files = {}
    for entry in entries:
        place, _, path = entry.partition("=")
        name = place_of(place, path)
        if name in files:
            sys.exit(f"{name} stands in the release twice: {path}")
        files[name] = pathlib.Path(path).read_bytes()
    sums = "".join(f"{hashlib.sha256(files[n]).hexdigest()}  {n}\n" for n in sorted(files))
    files["SHA256SUMS"] = sums.encode()
    top = f"metaroce-{json.loads(pathlib.Path(registry).read_text())['version']}"
    tar = io.BytesIO()
    with tarfile.open(fileobj=tar, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(files):
            mode = 0o755 if name.startswith("bin/") or name.endswith("_dut.py") else 0o644
            archive.addfile(*member(f"{top}/{name}", files[name], mode))
    with open(out, "wb") as f:
        with gzip.GzipFile(filename="", fileobj=f, mode="wb", compresslevel=9, mtime=0) as packed:
            packed.write(tar.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
