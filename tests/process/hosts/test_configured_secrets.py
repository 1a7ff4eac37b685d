"""A tool gets the secret that is configured for it, and nothing that is recorded of the tool holds it."""

import json

from aptix_conformance.core.model import canaries

SECRET = 'p9ss+"9f8e/7d6c'


def test_the_tool_has_its_secret_and_nobody_sees_it(bench):
    body = """
    told = json.dumps([os.environ["ATLAS_TOKEN"], len(os.environ["ATLAS_TOKEN"]), os.environ["UNITS"]])
    print(os.environ["ATLAS_TOKEN"])
    return InvokeResult.create(told)
    """
    bench.write("tools", bench.tool("Tells", body) + f"\nTells.TOOL_USAGE_METADATA = {SECRET!r}\n")
    env = {"ATLAS_TOKEN": SECRET, "UNITS": "metric-2024"}
    host = bench.open("tools:Tells", env=env)
    calls = (host.execute(bench.plan()), *host.execute_together([bench.plan(), bench.plan()]))
    canary = canaries.standing_for("ATLAS_TOKEN")
    for call in calls:
        assert json.loads(call.result.payload) == [canary, len(SECRET), "metric-2024"]
        assert SECRET not in call.stdout.text
    assert canary in calls[0].stdout.text
    assert host.describe().usage_text.value == canary
    assert host.describe_again({"hash seed": "1"}).usage_text.value == canary
