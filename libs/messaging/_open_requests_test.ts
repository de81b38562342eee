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
  requests.end("first", 36);
  assert.equal(requests.awaited, 0);
  assert.equal(requests.possible, 0);
  requests.clear();
});

test("OpenRequests awaits no more than what those that are open asked for", () => {
  const requests = new OpenRequests();
  for (const inbox of ["silent", "open"]) {
    requests.add(inbox, { batch: 10, timeoutMs: 60_000, onLate: () => {} });
  }
  requests.countEvent();
  // Nobody says what it has not brought.
  requests.end("silent", 0);
  assert.equal(requests.awaited, 10);
  requests.expectLoss();
  assert.deepEqual([requests.awaited, requests.possible], [0, 10]);
  requests.clear();
});

test("OpenRequests does not count a request twice that was lost before the broker ended it", () => {
  const requests = new OpenRequests();
  for (const inbox of ["lost", "open"]) {
    requests.add(inbox, { batch: 10, timeoutMs: 60_000, onLate: () => {} });
  }
  requests.end("lost");
  requests.end("lost", 10);
  assert.equal(requests.awaited, 10);
  requests.clear();
});
