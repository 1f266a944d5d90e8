from judgekit.gate.report import GateReport, ItemResult
from judgekit.render.gate_text import gate_text


def test_no_item_id_can_start_a_line_of_its_own() -> None:
    item = ItemResult(
        item_id="a\n::error::x\x1b[31m", group="a", outcome="failed", failed_by=("j",)
    )
    report = GateReport(
        outcome="failed", exit_code=1, warning=False, policy="p\n::stop", n_items=1, n_scored=1,
        n_groups=1, pass_rate=0.0, conditions=(), graders=(), items=(item,), reasons=("r\n::x",),
    )  # fmt: skip
    lines = gate_text(report).splitlines()
    assert not [line for line in lines if line.startswith("::")]
    assert lines[-1] == "  item a ::error::x\\u001b[31m: failed by j"
