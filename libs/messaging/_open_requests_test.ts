import type { Subscription } from "@nats-io/nats-core";
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { OpenRequests } from "./_open_requests.ts";

/** Opens requests, each of which ends after a second, and notes how. */
function openTestRequests(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const requests = new OpenRequests();
  const ends: string[] = [];
  return {
    ...{ requests, ends },
    add(name: string, batch: number) {
      const subscription = {
        unsubscribe: () => void ends.push(`${name} unsubscribed`),
        drain: () => Promise.resolve(void ends.push(`${name} drained`)),
      };
      return requests.add(subscription as Partial<Subscription> as Subscription, {
        ...{ batch, timeoutMs: 1000 },
        onLate: () => void ends.push(`${name} is late`),
      });
    },
  };
}

test("OpenRequests counts an event for the request that it answers", (t: TestContext) => {
  const { requests, ends, add } = openTestRequests(t);
  const [first, second] = [add("first", 4), add("second", 2)];
  requests.countEvent(first);
  requests.countEvent(second);
  requests.countEvent(second);
  assert.deepEqual(ends, ["second unsubscribed"]);
  assert.equal(requests.awaited, 3);
  requests.end(first);
  assert.equal(requests.awaited, 0);
});

test("OpenRequests hears what is on its way of a request without an answer", async (t: TestContext) => {
  const { requests, ends, add } = openTestRequests(t);
  const late = add("late", 4);
  t.mock.timers.tick(1000);
  await new Promise(setImmediate);
  assert.deepEqual(ends, ["late is late"]);
  assert.equal(requests.possible, 0);
  requests.countEvent(late);
  assert.equal(requests.possible, 0);
  t.mock.timers.tick(1000);
  await new Promise(setImmediate);
  assert.deepEqual(ends, ["late is late", "late drained"]);
});

test("OpenRequests does not await what may be lost", (t: TestContext) => {
  const { requests, add } = openTestRequests(t);
  const before = add("before", 4);
  requests.expectLoss();
  add("after", 3);
  assert.deepEqual([requests.awaited, requests.possible], [3, 7]);
  requests.countEvent(before);
  assert.deepEqual([requests.awaited, requests.possible], [3, 6]);
});

test("OpenRequests drains all, also on a connection that has ended", async (t: TestContext) => {
  const { requests, ends, add } = openTestRequests(t);
  add("open", 1);
  const closed = { drain: () => Promise.reject(new Error("closed")) } as Partial<Subscription>;
  requests.add(closed as Subscription, { batch: 1, timeoutMs: 1000, onLate: assert.fail });
  await requests.drain();
  assert.deepEqual(ends, ["open drained"]);
  t.mock.timers.tick(1000);
  await new Promise(setImmediate);
});
