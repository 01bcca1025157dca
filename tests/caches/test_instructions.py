"""Of a processor's flags those that compiled code may depend on."""

import pytest

from firstlight.caches.instructions import compiled_for

INTEL = (
    "fpu vme de pse tsc msr pae mce cx8 apic sep mtrr pge mca cmov pat pse36 clflush mmx fxsr sse "
    "sse2 ss ht syscall nx pdpe1gb rdtscp lm constant_tsc nopl xtopology nonstop_tsc cpuid pni "
    "pclmulqdq ssse3 fma cx16 pcid sse4_1 sse4_2 x2apic movbe popcnt aes xsave avx f16c rdrand "
    "hypervisor lahf_lm abm cpuid_fault ibrs ibpb stibp ibrs_enhanced bmi1 avx2 smep bmi2 erms "
    "avx512f avx512_vnni amx_tile arch_capabilities md_clear flush_l1d"
)
INTEL_COMPILED = (
    "mmx sse sse2 pni pclmulqdq ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt aes xsave avx f16c "
    "rdrand lahf_lm abm bmi1 avx2 bmi2 avx512f avx512_vnni amx_tile"
)
ARM = (
    "fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics fphp asimdhp cpuid asimdrdm jscvt fcma "
    "lrcpc dcpop sha3 asimddp sha512 sve asimdfhm dit uscat ilrcpc flagm ssbs paca pacg sve2 "
    "svei8mm svebf16 i8mm bf16 dgh rng bti"
)
ARM_COMPILED = (
    "fp asimd aes pmull sha1 sha2 crc32 atomics fphp asimdhp asimdrdm jscvt fcma lrcpc dcpop sha3 "
    "asimddp sha512 sve asimdfhm ilrcpc flagm sve2 svei8mm svebf16 i8mm bf16 rng"
)


@pytest.mark.parametrize(("flags", "compiled"), [(INTEL, INTEL_COMPILED), (ARM, ARM_COMPILED)])
def test_instructions_are_told_from_the_rest(flags: str, compiled: str) -> None:
    """Mitigations, clocks and what a hypervisor adds are not asked for by a compiler."""
    assert tuple(sorted(compiled.split())) == compiled_for(flags.split())


def test_order_and_repetition_change_nothing() -> None:
    """The kernel lists them as it likes."""
    flags = INTEL.split()

    assert compiled_for(flags) == compiled_for([*reversed(flags), *flags])
    assert () == compiled_for([])


@pytest.mark.parametrize("flag", ["smep", "smap", "sse44", "fpu", "sep", "aesx", "xaes"])
def test_what_only_begins_or_ends_like_one_is_none(flag: str) -> None:
    """`sme` is of Arm; `smep` and `smap` keep a kernel from the user's pages."""
    assert ("sme",) == compiled_for(["sme", flag])
