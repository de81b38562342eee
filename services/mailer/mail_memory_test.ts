import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadyMessage } from "./compose_message.ts";
import { bytesOf, openMailMemory } from "./mail_memory.ts";

const MB = 1_000_000;

/** Lets an account hold what it may, in mails of 1 MB. Returns the megabytes. */
function fill(memory: ReturnType<typeof openMailMemory>, account: string): number {
  let held = 0;
  while (memory.tryAcquire(account, MB) !== undefined) held++;
  return held;
}

test("openMailMemory() gives one account half of what is free, and each of several 32 MB", () => {
  const memory = openMailMemory();
  assert.equal(fill(memory, "acc_1"), 85);
  assert.equal(fill(memory, "acc_2"), 57);
  assert.equal(fill(memory, "acc_3"), 38);
  assert.equal(fill(memory, "acc_4"), 32);
  assert.equal(fill(memory, "acc_5"), 32);
  assert.equal(memory.held, 244 * MB);
});

test("bytesOf() counts three times the texts and files of a mail, also files in the store", () => {
  const message = (part: Partial<ReadyMessage>) =>
    bytesOf({ html: { inline: "" }, text: { key: "k" }, attachments: [], ...part } as ReadyMessage);
  const empty = message({});
  const kb = { bytes: Buffer.alloc(1000) };
  const file = { filename: "a.pdf", key: "k", size: 1000 };
  assert.equal(message({ html: { inline: "x".repeat(1000) } }) - empty, 3000);
  assert.equal(message({ html: kb, text: kb }) - empty, 6000);
  assert.equal(message({ attachments: [file, { filename: "b.pdf", ...kb }] }) - empty, 6000);
});
