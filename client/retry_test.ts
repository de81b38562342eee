import assert from "node:assert/strict";
import { test } from "node:test";
import { PosthasteError } from "./error.ts";
import { readAnswer } from "./read_answer.ts";
import { isTransient, pauseMs } from "./retry.ts";

const none = { retryAfter: null, now: 0, random: 1 };

test("pauseMs() doubles the pause, half of it random", () => {
  assert.deepEqual([1, 2, 3].map((tries) => pauseMs(tries, none)), [250, 500, 1000]);
  assert.equal(pauseMs(2, { ...none, random: 0 }), 250);
});

test("pauseMs() waits as long as the service asks for, unless that is too long", () => {
  const pause = (retryAfter: string, random = 0) => pauseMs(1, { now: 1000, random, retryAfter });
  assert.equal(pause("2"), 2000);
  assert.equal(pause("2", 1), 2250);
  assert.equal(pause("Thu, 01 Jan 1970 00:00:05 GMT"), 4000);
  assert.equal(pause("Thu, 01 Jan 1970 00:00:00 GMT"), 0);
  assert.equal(pause("31"), undefined);
  assert.equal(pause("soon"), 125);
  assert.equal(pause(""), 125);
});

test("isTransient() is true of what may succeed a moment later", () => {
  const cases: [number, string, boolean][] = [
    [0, "network", true],
    [0, "timeout", true],
    [429, "too_many_requests", true],
    [503, "unavailable", true],
    [409, "not_cancelable", false],
    [502, "unreadable_answer", true],
    [504, "unreadable_answer", true],
    [504, "render_timeout", false],
    [500, "internal", false],
    [400, "invalid_request", false],
    [200, "unreadable_answer", false],
  ];
  for (const [status, code, expected] of cases) {
    const error = new PosthasteError("", { status, code });
    assert.equal(isTransient(error), expected, `${status} ${code}`);
  }
});

test("readAnswer() returns files as bytes, and nothing for an empty answer", async () => {
  const file = await readAnswer(new Response(new Uint8Array([37, 80])), { bytes: true });
  assert.deepEqual(file, new Uint8Array([37, 80]));
  assert.equal(await readAnswer(new Response(""), { bytes: false }), undefined);
  const refused = Response.json({ error: "No", code: "print_timeout" }, { status: 504 });
  await assert.rejects(readAnswer(refused, { bytes: true }), { code: "print_timeout" });
});
