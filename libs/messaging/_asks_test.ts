import type { Msg, NatsConnection } from "@nats-io/nats-core";
import { stallProcess } from "@posthaste/kit";
import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { test } from "node:test";
import { openAsks } from "./_asks.ts";

test("openAsks() takes an answer that had come before a stalled process could look at its limit", async () => {
  let hear = (_error: unknown, _message: Msg) => {};
  const connection = {
    subscribe(_subject: string, { callback }: { callback: typeof hear }) {
      hear = callback;
    },
  } as unknown as NatsConnection;
  const { inbox, messages } = openAsks(connection, "_INBOX.test")({ count: 1, timeoutMs: 20 });
  const answer = { subject: `${inbox}.0` } as Msg;
  void stat(import.meta.dirname).then(() => hear(undefined, answer));
  stallProcess(200);
  assert.equal(await messages[0], answer);
});
