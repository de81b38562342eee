import assert from "node:assert/strict";
import { test } from "node:test";
import { explore } from "./explore.ts";
import { exploreMutated } from "./mutate.ts";
import { PROTOCOL_MUTATIONS } from "./mutations.ts";
import { SMALL_WORLDS } from "./world.ts";

for (const world of SMALL_WORLDS) {
  test(`the protocol holds in every interleaving of "${world.name}"`, () => {
    const { violation, trace, states } = explore(world);
    assert.equal(violation, undefined, trace?.join("\n"));
    assert.ok(states > 5000);
  });
}

for (const mutation of PROTOCOL_MUTATIONS) {
  test(`explore() finds it when ${mutation.description}`, async () => {
    const { violation } = await exploreMutated(mutation);
    assert.notEqual(violation, undefined);
  });
}

test("explore() sees two marked copies, and a late acceptance", () => {
  const { copies, lateSent } = explore({ name: "retry", policy: "retry" });
  assert.ok(copies > 0);
  assert.ok(lateSent > 0);
});
