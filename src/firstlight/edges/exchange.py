"""
Two folders, each in the other's place, in one step.

The C library has it, Python has not. Most file systems of Linux can do it; NFS and some that are
reached through FUSE cannot, and then two renames must do.
"""

import ctypes
import errno
import os
from pathlib import Path

_AT_CWD = -100
_EXCHANGE = 2
_CANNOT = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM}
"""The last one where a sandbox does not know the call."""


def exchange(one: Path, other: Path) -> bool:
    """
    Give each the other's name.

    Returns:
        Whether it was done; False where this kernel or file system cannot.

    Raises:
        OSError: it could, and refuses these two.
    """
    try:
        rename = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    rename.argtypes = (ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint)
    if rename(_AT_CWD, os.fsencode(one), _AT_CWD, os.fsencode(other), _EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(one), None, str(other))
