import assert from "node:assert/strict";
import { test } from "node:test";
import { OpenRequests } from "./_open_requests.ts";

test("OpenRequests awaits nothing of requests that the broker has served in turns", () => {
  const requests = new OpenRequests();
  const sizes = { first: 48, second: 12, third: 12, fourth: 12 };
  for (const [inbox, batch] of Object.entries(sizes)) {
    requests.add(inbox, { batch, timeoutMs: 60_000, onLate: () => {} });
  }
  // Twelve for each: the first has 36 left, and the broker says no more of the others.
  for (let event = 0; event < 48; event++) requests.countEvent();
  assert.equal(requests.awaited, 36);
  requests.expire("first", 36);
  assert.equal(requests.awaited, 0);
  assert.equal(requests.possible, 0);
});

test("OpenRequests does not count a request twice that was lost before the broker ended it", () => {
  const requests = new OpenRequests();
  for (const inbox of ["lost", "open"]) {
    requests.add(inbox, { batch: 10, timeoutMs: 60_000, onLate: () => {} });
  }
  requests.end("lost");
  requests.expire("lost", 10);
  assert.equal(requests.awaited, 10);
  requests.clear();
});
