import assert from "node:assert/strict";
import { test } from "node:test";
import { openLaneShare } from "./lane_share.ts";

function fill(share: ReturnType<typeof openLaneShare>, accountId: string): (() => void)[] {
  const left: (() => void)[] = [];
  for (let leave = share.enter(accountId); leave; leave = share.enter(accountId)) left.push(leave);
  return left;
}

test("openLaneShare() gives one account half, and always leaves room for the next", () => {
  const share = openLaneShare(64);
  const counts = ["a", "b", "c"].map((account) => fill(share, account).length);
  assert.deepEqual(counts, [32, 16, 8]);
  assert.ok(share.enter("d"));
});

test("openLaneShare() gives back what is left", () => {
  const share = openLaneShare(4);
  const places = fill(share, "a");
  assert.equal(places.length, 2);
  for (const leave of places) leave();
  assert.equal(fill(share, "b").length, 2);
});

test("openLaneShare() lets an account have one where there is but one", () => {
  assert.equal(fill(openLaneShare(1), "a").length, 1);
});
