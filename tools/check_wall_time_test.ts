import assert from "node:assert/strict";
import { test } from "node:test";
import { makeRepository } from "./make_repository.ts";
import { checkWallTime } from "./check_wall_time.ts";

const JUDGES = `import assert from "node:assert/strict";
const started = performance.now();
assert.ok(performance.now() - started < 5);
`;

test("checkWallTime() names the file, the line and the comparison", () => {
  using repository = makeRepository({
    "libs/messaging/bus_test.ts": JUDGES,
    "services/api/_test_time.ts": JUDGES,
    "e2e/deep/inside/stop_test.ts": JUDGES,
    "tools/x_test.ts": JUDGES.replaceAll("performance", "Date"),
  });
  const judged = "judges wall time: performance.now() - started < 5";
  assert.deepEqual(checkWallTime(repository.root), [
    `e2e/deep/inside/stop_test.ts:3 ${judged}`,
    `libs/messaging/bus_test.ts:3 ${judged}`,
    `services/api/_test_time.ts:3 ${judged}`,
    "tools/x_test.ts:3 judges wall time: Date.now() - started < 5",
  ]);
});

test("checkWallTime() ignores chaos tests, benchmarks and files that are not tests", () => {
  using repository = makeRepository({
    "tests/chaos/kill_test.ts": JUDGES,
    "bench/cluster/speed_test.ts": JUDGES,
    "libs/messaging/bus.ts": JUDGES,
    "libs/messaging/node_modules/x/x_test.ts": JUDGES,
  });
  assert.deepEqual(checkWallTime(repository.root), []);
});

test("checkWallTime() exempts only folders at the root, and no line", () => {
  using repository = makeRepository({
    "libs/bench/speed_test.ts": JUDGES,
    "libs/messaging/bus_test.ts": `// deno-lint-ignore-file\n${JUDGES}`,
  });
  assert.equal(checkWallTime(repository.root).length, 2);
});
