# SPDX-License-Identifier: BSD-2-Clause
"""
io_uring forbidden by a seccomp filter, as in containers: the helper that sets
the filter, and the back end "forbidden" of $ZCDNS_IO. A server that is given it
is configured with io = auto, has to fall back to mmsg, and to say so once.
"""

import errno
import functools
import pathlib
import shutil
import subprocess
import tempfile

SOURCE = pathlib.Path(__file__).with_name("seccomp.c")
WARNING = "io_uring is forbidden"


class Forbidden(str):
    """Equal to "mmsg", which is what tests see at work."""

    def __new__(cls):
        return super().__new__(cls, "mmsg")


@functools.cache
def _build():
    """(folder that ends with the process, path of the helper or why not)."""
    compiler = next((one for one in ("cc", "gcc", "clang")
                     if shutil.which(one)), None)
    if not compiler:
        return None, None, "no C compiler for the seccomp helper"
    folder = tempfile.TemporaryDirectory(prefix="zcdns-seccomp-")
    out = pathlib.Path(folder.name) / "seccomp"
    subprocess.run([compiler, "-O1", "-o", out, SOURCE], check=True)
    pathlib.Path(folder.name).chmod(0o755)
    if subprocess.run([out, "1", "/bin/true"], check=False).returncode == 77:
        return folder, None, "seccomp filters are not allowed here"
    return folder, str(out), None


def missing():
    """Why no filter can be set here, None when one can."""
    return _build()[2]


def helper():
    return _build()[1]


def wrapper(number=errno.EPERM):
    """What a command is run by."""
    return [helper(), str(number)]
