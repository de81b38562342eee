import assert from "node:assert/strict";
import { test } from "node:test";
import { shareOf } from "./share.ts";

interface Limits {
  _id?: string;
  maxConnections: number;
  maxPerMinute?: number | null;
}

/** Returns the shares of all mailers. */
function sharesOf({ _id = "acc_1/1", maxPerMinute = null, maxConnections }: Limits, count: number) {
  return Array.from(
    { length: count },
    (_, position) => shareOf({ _id, maxConnections, maxPerMinute }, { count, position }),
  );
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0);

test("shareOf() divides connections exactly, and as evenly as possible, for any number of mailers", () => {
  for (const maxConnections of [1, 2, 5, 7, 100]) {
    for (const count of [1, 2, 3, 8]) {
      for (const _id of ["acc_1/1", "acc_1/2", "acc_9/7"]) {
        const shares = sharesOf({ _id, maxConnections }, count).map((one) => one.connections);
        assert.equal(sum(shares), maxConnections);
        assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
      }
    }
  }
});

test("shareOf() assigns the remainder to other mailers for other integrations", () => {
  const first = (_id: string) =>
    sharesOf({ _id, maxConnections: 1 }, 4).findIndex(({ connections }) => connections === 1);
  const favoured = new Set(Array.from({ length: 40 }, (_, n) => first(`acc_1/${n}`)));
  assert.equal(favoured.size, 4);
});

test("shareOf() divides a rate among mailers with a connection, of which each has one mail a second or all", () => {
  for (const maxPerMinute of [1, 59, 60, 119, 120, 1200]) {
    for (const maxConnections of [1, 2, 5]) {
      for (const count of [1, 2, 3, 8]) {
        const name = `${maxPerMinute} a minute, ${maxConnections} connections, ${count} mailers`;
        const shares = sharesOf({ maxPerMinute, maxConnections }, count);
        const held = shares.filter(({ perMinute }) => perMinute > 0);
        assert.equal(Math.round(sum(held.map(({ perMinute }) => perMinute))), maxPerMinute, name);
        // All connections: a slow server needs several for a low rate.
        assert.equal(sum(held.map(({ connections }) => connections)), maxConnections, name);
        assert.ok(held.every(({ connections }) => connections > 0), name);
        assert.ok(held.length === 1 || held.every(({ perMinute }) => perMinute >= 60), name);
      }
    }
  }
});

test("shareOf() limits no rate without one", () => {
  assert.deepEqual(sharesOf({ maxConnections: 5 }, 1), [{ connections: 5, perMinute: Infinity }]);
});
