"""A cache that was pulled, as a start that was measured beside it tells of it."""

import json
from pathlib import Path

import pytest

from firstlight.core.cache_places import NOTE
from firstlight.core.signs import Sign
from firstlight.edges.cache_listing import list_caches
from firstlight.measure.record import listing_json
from firstlight.wiring.explaining import explain_folder
from tests.caching.small import write
from tests.robustness.test_round_folders import a_round

pytestmark = pytest.mark.timeout(20)


@pytest.mark.parametrize("older", [False, True], ids=["now", "an older record"])
def test_the_folder_that_was_pulled_into_is_named(tmp_path: Path, *, older: bool) -> None:
    """Not the first cache below it, which may be empty; an older record does not say which."""
    engine = write(tmp_path / "c" / "engine", {"vllm/a": b"pulled"})
    (engine / NOTE).write_text('{"key": "0123456789abcdef"}')
    roots = [str(engine / kind) for kind in ("deep_gemm", "vllm")]
    folder = tmp_path / "round"
    folder.mkdir()
    a_round(folder)
    listing = json.loads(json.dumps(listing_json(list_caches(roots))))
    for root in listing["roots"] if older else ():
        del root["published_in"]
    (folder / "cache-before.json").write_text(json.dumps(listing))

    start = explain_folder(folder)

    (said,) = start.signs[Sign.CACHE_RESTORED]
    where = f"{engine}/deep_gemm" if older else str(engine)
    assert f"the published cache 0123456789ab lies in {where}" == said.text
