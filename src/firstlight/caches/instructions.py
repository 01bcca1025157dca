"""
Which of a processor's flags compiled code may depend on.

Inductor compiles for the machine it is on (`-march=native`), and what it made ends with an
illegal instruction on one that has less. A kernel lists far more flags than instructions:
mitigations and power states come and go with microcode, and no compiler asks for them. So the
names here are those that GCC's `-march=native` turns on, for x86 and for Arm, as Linux spells
them in /proc/cpuinfo.
"""

import re
from collections.abc import Iterable

_COMPILED = re.compile(
    r"mmx|sse\d?|sse4_[12]|sse4a|ssse3|pni|avx\w*|amx_\w+|fma4?|f16c|bmi[12]|abm|lzcnt|popcnt|movbe"
    r"|aes|vaes|pclmulqdq|vpclmulqdq|sha_ni|sha512|sm3|sm4|gfni|adx|cx16|xop|tbm|lahf_lm|rdpid"
    r"|rdrnd|rdrand|rdseed|fsgsbase|movdiri|movdir64b|clwb|clflushopt|clzero|wbnoinvd|serialize"
    r"|cldemote|waitpkg|prfchw|3dnow\w*|xsave\w*|mwaitx|hreset|ptwrite|enqcmd|uintr|raoint"
    r"|fp|asimd\w*|crc32|atomics|lrcpc|ilrcpc|dcpop|sve\w*|sme(?!p$)\w*|i8mm|bf16|fphp|jscvt|fcma|pmull"
    r"|sha[123]|flagm2?|frint|rng|svebf16|svei8mm"
)


def compiled_for(flags: Iterable[str]) -> tuple[str, ...]:
    """Those that matter, sorted."""
    return tuple(sorted({flag for flag in flags if _COMPILED.fullmatch(flag)}))
