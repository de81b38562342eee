import assert from "node:assert/strict";
import { test } from "node:test";
import { FIRST_ATTEMPT, routesOf } from "./routes.ts";

const SHOP = "shop@example.com";
const NEWS = "news@example.com";

/** The state of an integration, how many messages it may take now, and as whom it may send. */
interface Given {
  state: "works" | "paused" | "stopped" | "half_open";
  left?: number;
  senders?: string[];
}

/** Opens the routes of integration 4, with the fallbacks 5, 6 and so on. */
function open(own: Given, ...fallbacks: Given[]) {
  const left = new Map([own, ...fallbacks].map((one, n) => [4 + n, one.left ?? 0]));
  const candidateOf = ({ state, senders = [SHOP] }: Given, id: number) => ({
    ...{ id, senders, isHealthy: state === "works", isHalfOpen: state === "half_open" },
    isPaused: state === "paused",
    maySendAs: (email: string) => senders.includes(email),
  });
  return routesOf({
    id: 4,
    own: candidateOf(own, 4),
    fallbacks: fallbacks.map((one, n) => candidateOf(one, 5 + n)),
    capacities: {
      of: (id) => left.get(id) ?? 0,
      take: (id, messages) => void left.set(id, (left.get(id) ?? 0) - messages),
    },
  });
}

const MESSAGE = { ...FIRST_ATTEMPT, from: SHOP };
const UNKNOWN = { ...MESSAGE, unknownAttempts: [1] };

test("routesOf() keeps mail with an integration that works, also if a fallback has more capacity", () => {
  const routes = open({ state: "works", left: 0 }, { state: "works", left: 9 });
  assert.deepEqual(routes.routeFor(MESSAGE), { id: 4, left: 0 });
  assert.equal(routes.elsewhere(), undefined);
  assert.equal(routes.isStuck(MESSAGE), false);
});

test("routesOf() sends what its server was not offered through a fallback, if one has capacity", () => {
  const unreached = { ...MESSAGE, unreached: 4 };
  const works = { state: "works", left: 3 } as const;
  assert.deepEqual(open(works, works).routeFor(unreached), { id: 5, left: 3 });
  assert.equal(open(works, { state: "works", left: 0 }).routeFor(unreached).id, 4);
  assert.equal(open(works, { ...works, senders: [NEWS] }).routeFor(unreached).id, 4);
});

test("routesOf() sends the mail of a stopped integration through the first fallback that has capacity", () => {
  const routes = open({ state: "stopped" }, { state: "works", left: 2 }, {
    ...{ state: "works", left: 9, senders: [SHOP, NEWS] },
  });
  assert.deepEqual(routes.routeFor(MESSAGE), { id: 5, left: 2 });
  assert.deepEqual(routes.elsewhere(), [
    { senders: [SHOP], left: 2 },
    { senders: [NEWS], left: 9 },
  ]);
  routes.take(5, 2);
  assert.deepEqual(routes.routeFor(MESSAGE), { id: 6, left: 9 });
  routes.take(6, 9);
  // It waits for the first.
  assert.deepEqual(routes.routeFor(MESSAGE), { id: 5, left: 0 });
  assert.deepEqual([routes.elsewhere(), routes.mostLeft(), routes.isStuck(MESSAGE)], [
    [],
    0,
    false,
  ]);
});

test("routesOf() sends one message to a server that may be back, and the rest elsewhere", () => {
  const routes = open({ state: "half_open", left: 1 }, { state: "works", left: 9 });
  assert.deepEqual(routes.routeFor(MESSAGE), { id: 4, left: 1 });
  assert.equal(routes.elsewhere(), undefined);
  routes.take(4, 1);
  assert.deepEqual(routes.routeFor(MESSAGE), { id: 5, left: 9 });
  assert.deepEqual(routes.elsewhere(), [{ senders: [SHOP], left: 9 }]);
});

test("routesOf() probes a fallback that may be back with one message, and none is stuck meanwhile", () => {
  const routes = open({ state: "stopped" }, { state: "half_open", left: 1 });
  assert.deepEqual(routes.routeFor(MESSAGE), { id: 5, left: 1 });
  routes.take(5, 1);
  assert.deepEqual(routes.routeFor(MESSAGE), { id: 4, left: 0 });
  assert.equal(routes.isStuck(MESSAGE), false);
  assert.equal(routes.isStuck(UNKNOWN), true);
});

test("routesOf() finds mail stuck that no fallback may send", () => {
  const works = { state: "works", left: 9 } as const;
  const routes = open({ state: "stopped" }, works);
  assert.deepEqual(routes.served(), [SHOP]);
  assert.equal(routes.isStuck(MESSAGE), false);
  for (const stuck of [UNKNOWN, { ...MESSAGE, from: NEWS }]) assert.ok(routes.isStuck(stuck));
  for (
    const [own, ...others] of [
      [{ state: "stopped" }],
      [{ state: "paused" }, works],
      [{ state: "stopped" }, { state: "stopped" }],
    ] satisfies [Given, ...Given[]][]
  ) {
    const routes = open(own, ...others);
    assert.deepEqual([routes.isStuck(MESSAGE), routes.served()], [true, []]);
    assert.equal(routes.mostLeft(), 0);
  }
});

test("routesOf() sends all mail of an integration that does not exist any more to itself: it fails", () => {
  const capacities = { of: () => 7, take: () => {} };
  const routes = routesOf({ id: 4, own: null, fallbacks: [], capacities });
  assert.deepEqual(routes.routeFor(MESSAGE), { id: 4, left: 7 });
  assert.deepEqual([routes.isStopped, routes.isFailedOver, routes.isStuck(MESSAGE)], [
    ...[false, false, false],
  ]);
});
