import assert from "node:assert/strict";
import { test } from "node:test";
import { isSecretName, redact } from "./redact.ts";

test("redact() hides every field with a secret or personal name, at any depth", () => {
  const names = [
    "password",
    "token",
    "authorization",
    "secret",
    "email",
    "to",
    "subject",
    "html",
    "text",
    "variables",
    "smtpPassword",
    "reply_to",
    "Authorization",
    "apiKey",
    "client-secret",
  ];
  for (const name of names) {
    const redacted = JSON.stringify(redact({ a: [{ b: { [name]: { x: "leak" } } }] }));
    assert.ok(!redacted.includes("leak"), `${name}: ${redacted}`);
    assert.ok(redacted.includes("[redacted]"), `${name}: ${redacted}`);
  }
});

test("redact() keeps descriptions of a hidden value", () => {
  const fields = { tokenId: "t1", htmlBytes: 12, attempt: 2, stop: "a", context: "b" };
  assert.deepEqual(redact(fields), fields);
  assert.ok(!isSecretName("template"));
  assert.ok(!isSecretName("key"));
});

test("redact() turns an error and its causes into objects, with addresses masked", () => {
  const cause = Object.assign(new TypeError("no mailbox jane@example.com"), { code: "EENVELOPE" });
  const redacted = redact({ error: new Error("Cannot send", { cause }) });
  const { error } = redacted as {
    error: { cause: Record<string, string> } & Record<string, string>;
  };
  assert.equal(error["type"], "Error");
  assert.equal(error["message"], "Cannot send");
  assert.match(error["stack"] ?? "", /redact_test/);
  assert.equal(error.cause["type"], "TypeError");
  assert.equal(error.cause["code"], "EENVELOPE");
  assert.equal(error.cause["message"], "no mailbox j…@example.com");
  assert.ok(!JSON.stringify(redacted).includes("jane"));
});

test("redact() cuts values that are cyclic, long or not JSON", () => {
  const cyclic: Record<string, unknown> = {
    bytes: new Uint8Array(3),
    big: 10n,
    when: new Date(0),
    bad: new Date(NaN),
    list: Array.from({ length: 101 }, (_, i) => i),
  };
  cyclic["self"] = cyclic;
  const redacted = redact(cyclic) as Record<string, unknown>;
  assert.equal(redacted["bytes"], "[3 bytes]");
  assert.equal(redacted["big"], "10");
  assert.equal(redacted["when"], "1970-01-01T00:00:00.000Z");
  assert.equal(redacted["bad"], null);
  assert.equal((redacted["list"] as unknown[]).at(-1), "[1 more]");
  assert.match(JSON.stringify(redacted), /\[too deep\]/);
});
