import assert from "node:assert/strict";
import { test } from "node:test";
import { takesLong } from "@posthaste/kit";
import { explore, type Explored } from "./explore.ts";
import { exploreMutated } from "./mutate.ts";
import { PROTOCOL_MUTATIONS } from "./mutations.ts";
import { SMALL_WORLDS } from "./world.ts";

takesLong();

const explored: Explored[] = [];

for (const world of SMALL_WORLDS) {
  test(`the protocol holds in every interleaving of "${world.name}"`, () => {
    const found = explore(world);
    explored.push(found);
    assert.equal(found.violation, undefined, found.trace?.join("\n"));
    assert.ok(found.states > 5000);
  });
}

for (const mutation of PROTOCOL_MUTATIONS) {
  test(`explore() finds the violation when ${mutation.description}`, async () => {
    const { violation } = await exploreMutated(mutation);
    assert.notEqual(violation, undefined);
  });
}

test("explore() reports two marked copies, and a late acceptance", () => {
  assert.equal(SMALL_WORLDS[0]?.policy, "retry");
  const [retry] = explored;
  assert.ok(retry && retry.copies > 0);
  assert.ok(retry.lateSent > 0);
});
