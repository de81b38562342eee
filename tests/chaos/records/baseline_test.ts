import assert from "node:assert/strict";
import { test } from "node:test";
import { baselineOf, findSurplus } from "./baseline.ts";
import type { Holding } from "./records.ts";

function holding(more: Partial<Holding> = {}): Holding {
  const figures = { files: 28, database: 3, broker: 1, browsers: 6 };
  return { pod: "pdf-2", role: "pdf", ...figures, ...more };
}

const BASELINE = {
  baseline: baselineOf([
    holding({ pod: "pdf-1", files: 27 }),
    holding({ pod: "pdf-1", database: 1 }),
  ]),
  members: 1,
};

test("findSurplus() finds nothing at a fresh service's resources plus a tenth", () => {
  assert.deepEqual(findSurplus([holding()], BASELINE), []);
  assert.deepEqual(findSurplus([holding({ files: 32, database: 5, browsers: 6 })], BASELINE), []);
  assert.deepEqual(
    findSurplus([holding({ files: 5, database: 0, broker: 0, browsers: 0 })], BASELINE),
    [],
  );
});

test("findSurplus() allows a connection more for each database", () => {
  const found = (database: number, members: number) =>
    findSurplus([holding({ database })], { ...BASELINE, members }).length;
  assert.deepEqual([found(7, 3), found(8, 3), found(5, 1), found(6, 1)], [0, 1, 0, 1]);
});

test("findSurplus() names each surplus of a service", () => {
  const found = (more: Partial<Holding>) => findSurplus([holding(), holding(more)], BASELINE);
  assert.deepEqual(found({ files: 33 }), [
    "pdf-2 holds 33 open files; a fresh one that is idle 28",
  ]);
  assert.match(found({ database: 6 }).join(), /^pdf-2 holds 6 database connections; .* 3$/);
  assert.match(found({ broker: 2 }).join(), /^pdf-2 holds 2 broker connections; .* 1$/);
  assert.match(found({ browsers: 7 }).join(), /^pdf-2 holds 7 browser processes; .* 6$/);
  assert.match(found({ role: "other" }).join(), /not there at the start/);
});
