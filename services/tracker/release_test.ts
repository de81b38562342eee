import { until } from "@posthaste/testing";
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { type ReleaseDeps, releaseForever } from "./release.ts";

test("releaseForever() leaves parked mail alone while it is another tracker's turn", async () => {
  const stop = new AbortController();
  let looks = 0;
  let isMine = false;
  const parkedIntegrations = () => {
    looks++;
    return Promise.resolve([]);
  };
  const ended = releaseForever({ parkedIntegrations } as Partial<ReleaseDeps> as ReleaseDeps, {
    intervalMs: 5,
    signal: stop.signal,
    duty: { isMine: () => Promise.resolve(isMine) },
  });
  try {
    await delay(40);
    assert.equal(looks, 0);
    isMine = true;
    await until(() => looks > 1);
  } finally {
    stop.abort();
    await ended;
  }
});
