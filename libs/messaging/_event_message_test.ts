import type { Msg } from "@nats-io/nats-core";
import assert from "node:assert/strict";
import { test } from "node:test";
import { openEventMessage } from "./_event_message.ts";

function deliver(reply: string) {
  const answers: string[] = [];
  const respond = (answer: string) => answers.push(answer);
  return { answers, message: openEventMessage({ reply, respond } as unknown as Msg) };
}

test("openEventMessage() reads the deliveries of older and newer brokers", () => {
  const info = {
    stream: "RENDER",
    streamSequence: 17,
    timestampNanos: 1795862997859670000,
    deliveryCount: 2,
  };
  const short = "RENDER.renderer_bulk.2.17.40.1795862997859670000.5";
  for (
    const reply of [`$JS.ACK.${short}`, `$JS.ACK._.hash.${short}`, `$JS.ACK.eu.hash.${short}.x`]
  ) {
    assert.deepEqual(deliver(reply).message.info, info);
  }
});

test("openEventMessage() sends the first acknowledgement only, and no progress after it", () => {
  const acked = deliver("$JS.ACK.S.c.1.1.1.1.0");
  acked.message.working();
  acked.message.ack();
  acked.message.nak();
  acked.message.working();
  assert.deepEqual(acked.answers, ["+WPI", "+ACK"]);
  const later = deliver("$JS.ACK.S.c.1.1.1.1.0");
  later.message.nak(5000);
  assert.deepEqual(later.answers, ['-NAK {"delay":5000000000}']);
  const refused = deliver("$JS.ACK.S.c.1.1.1.1.0");
  refused.message.term("malformed");
  assert.deepEqual(refused.answers, ["+TERM malformed"]);
});
