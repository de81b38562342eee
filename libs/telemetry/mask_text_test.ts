import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { maskText } from "./mask_text.ts";

test("maskText() keeps the first letter and the domain of an address", () => {
  assert.equal(
    maskText("550 5.1.1 <jane.doe+x@mail.example.com>: unknown"),
    "550 5.1.1 <j…@mail.example.com>: unknown",
  );
  assert.equal(maskText("jörg@exämple.de,zoe@b.org"), "j…@exämple.de,z…@b.org");
});

test("maskText() removes the user and password of a URL", () => {
  assert.equal(
    maskText("mongodb://root:s3cret@db.example.com:27017/x"),
    "mongodb://[redacted]@db.example.com:27017/x",
  );
});

test("maskText() keeps only the prefix of an access token", () => {
  // No part of it is a password of another test in this process, which would be hidden first.
  assert.equal(maskText("Bearer ph_q7Zk2mVx9TfLw4RbNc8d"), "Bearer ph_[redacted]");
});

test("maskText() leaves text without addresses as it is", () => {
  const text = 'Cannot print "invoice-42": the browser did not start within 20 s';
  assert.equal(maskText(text), text);
});

test("maskText() takes linear time on malicious text", async () => {
  const malicious = [
    (length: number) => `${"a".repeat(length)}@`,
    (length: number) => "a.".repeat(length / 4) + "@" + "b.".repeat(length / 4),
    (length: number) => `@${"//a".repeat(length / 3)}`,
  ];
  for (const text of malicious) {
    const [short, long] = [text(2_500), text(20_000)];
    const ratio = await cpuRatio(() => maskText(long), () => maskText(short), { below: 24 });
    // Linear is 8, quadratic 64.
    assert.ok(ratio < 24, `8 times "${text(12)}" costs ${ratio} times as much`);
  }
});
