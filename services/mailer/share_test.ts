import assert from "node:assert/strict";
import { test } from "node:test";
import { rateShareOf, shareOf } from "./share.ts";

test("shareOf() divides exactly, and as evenly as possible, for any number of mailers", () => {
  for (const total of [1, 2, 5, 7, 100]) {
    for (const count of [1, 2, 3, 8]) {
      for (const key of ["acc_1/1", "acc_1/2", "acc_9/7"]) {
        const shares = Array.from(
          { length: count },
          (_, position) => shareOf(total, { count, position }, key),
        );
        assert.equal(shares.reduce((a, b) => a + b), total);
        assert.ok(Math.max(...shares) - Math.min(...shares) <= 1);
      }
    }
  }
});

test("shareOf() assigns the remainder to other mailers for other integrations", () => {
  const first = (key: string) =>
    [0, 1, 2, 3].find((position) => shareOf(1, { count: 4, position }, key) === 1);
  const favoured = new Set(Array.from({ length: 40 }, (_, n) => first(`acc_1/${n}`)));
  assert.equal(favoured.size, 4);
});

test("rateShareOf() divides a rate among mailers with a connection, of which each has one mail a second or all", () => {
  for (const maxPerMinute of [1, 59, 60, 119, 120, 1200]) {
    for (const maxConnections of [1, 2, 5]) {
      for (const count of [1, 2, 3, 8]) {
        const name = `${maxPerMinute} a minute, ${maxConnections} connections, ${count} mailers`;
        const rows = Array.from({ length: count }, (_, position) => ({
          rate: rateShareOf({ maxPerMinute, maxConnections }, { count, position }, "acc_1/1"),
          connections: shareOf(maxConnections, { count, position }, "acc_1/1"),
        }));
        const held = rows.filter(({ rate }) => rate > 0);
        assert.equal(Math.round(held.reduce((sum, { rate }) => sum + rate, 0)), maxPerMinute, name);
        assert.ok(held.every(({ connections }) => connections > 0), name);
        assert.ok(held.length === 1 || held.every(({ rate }) => rate >= 60), name);
      }
    }
  }
});
