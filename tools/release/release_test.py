#!/usr/bin/env python3
"""A release is whole, is the same whoever packs it, and works where there is nothing but libc.

usage: release_test.py TARBALL PACK REGISTRY C_LIBRARY
"""

import gzip
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import tempfile

# What the C library of the machine brings.
LIBC = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "linux-vdso.so.1", "libpthread.so.0"}
LIBC |= {"libdl.so.2", "librt.so.1"}


def run(*command, cwd, ok=0):
    """In a bare environment: no PATH but the system's, no home."""
    done = subprocess.run(
        command, cwd=cwd, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, timeout=300
    )
    if done.returncode != ok:
        sys.exit(
            f"{' '.join(map(str, command))}\nexit {done.returncode}\n{done.stdout}{done.stderr}"
        )
    return done.stdout


def check_libraries(top):
    """Beside libc nothing is needed that does not lie in the release."""
    for program in (top / "bin").iterdir():
        for line in run("ldd", program, cwd="/").splitlines():
            name, _, place = line.strip().partition(" => ")
            library = pathlib.PurePath(name.split()[0]).name
            inside = place.startswith(f"{top}/") or place.startswith(f"{top.resolve()}/")
            if library not in LIBC and not inside:
                sys.exit(f"{program.name} needs {line.strip()}")


def check_packing(top, tarball, pack, registry, scratch):
    """Packed again from the unpacked files, in another order, time zone and umask."""
    names = [str(p.relative_to(top)) for p in top.rglob("*") if p.is_file()]
    names.remove("SHA256SUMS")
    random.Random(1).shuffle(names)
    again = scratch / "again.tar.gz"
    old = os.umask(0o077)
    subprocess.run(
        [sys.executable, pack, again, registry] + [f"{name}={top / name}" for name in names],
        env={"TZ": "Asia/Tokyo", "PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "7"},
        check=True,
    )
    os.umask(old)
    if again.read_bytes() != tarball.read_bytes():
        sys.exit("packed again it is another file")


def check_replay(top, library):
    """From another folder, as an outsider would."""
    runner = top / "bin/metaroce"
    for vectors in ("metaroce.bundle", "vectors"):
        out = run(runner, "replay", "--dut", f"'{top}/bin/metaroce_model'", "--vectors",
                  top / vectors, "--jobs", "2", cwd="/")  # fmt: skip
        row = re.search(r"^all +(\d+) +0 +0 +0 +0 +0 +(\d+)$", out, re.M)
        if row is None or row[1] != row[2] or int(row[1]) < 600:
            sys.exit(f"the model on {vectors}:\n{out}")
    run(runner, "replay", "--dut", f"'{library}'", "--vectors", top / "metaroce.bundle", cwd="/")
    run(runner, "replay", "--dut", f"'{top}/duts/python/metaroce_dut.py'", "--vectors",
        top / "metaroce.bundle", "--level", "codec", cwd="/")  # fmt: skip


def check_readme(top):
    """What it shows of the device in C works, and what it says lies here does."""
    text = (top / "README.md").read_text()
    if pathlib.Path("/usr/bin/gcc").exists():
        compile_it, play_it = re.search(r"```sh\n(gcc .*)\n(bin/metaroce .*)\n```", text).groups()
        run(*compile_it.split(), cwd=top)
        run(*play_it.split(), cwd=top)
        (top / "libmine.so").unlink()
    for row in re.findall(r"^\| .* \| (.*) \|$", text.split("| in the guide |")[1], re.M):
        for place in re.findall(r"`([^`-][^`]*)`", row):
            if not (top / place).exists():
                sys.exit(f"README.md: there is no {place}")


def main() -> int:
    tarball, pack, registry, library = (pathlib.Path(word).absolute() for word in sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        with tarfile.open(fileobj=gzip.open(tarball)) as archive:
            archive.extractall(scratch)
        (top,) = (path for path in scratch.iterdir() if path.is_dir())
        run("sha256sum", "--quiet", "-c", "SHA256SUMS", cwd=top)
        check_libraries(top)
        check_packing(top, tarball, pack, registry, scratch)
        check_replay(top, library)
        check_readme(top)
        for name in ("LICENSE", "include/metaroce_dut.h", "schema/vector.schema.json"):
            if not (top / name).is_file():
                sys.exit(f"{name} is missing")
        # A bundle of these vectors is the one that was packed.
        run(top / "bin/metaroce", "vector", "export", "--form", "bundle", "--vectors", "vectors",
            "--out", scratch / "own.bundle", cwd=top)  # fmt: skip
        if (scratch / "own.bundle").read_bytes() != (top / "metaroce.bundle").read_bytes():
            sys.exit("the bundle is not that of the vectors beside it")
    print(f"{tarball.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
