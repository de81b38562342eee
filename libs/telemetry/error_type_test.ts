import assert from "node:assert/strict";
import { test } from "node:test";
import { ERROR_TYPES, errorType } from "./error_type.ts";

function withCode(code: string | number, more: object = {}): Error {
  return Object.assign(new Error("x"), { code }, more);
}

test("errorType() sorts errors by name, code, SMTP reply and status", () => {
  const aborted = new AbortController();
  aborted.abort();
  assert.equal(errorType(aborted.signal.reason), "canceled");
  assert.equal(errorType(new DOMException("late", "TimeoutError")), "timeout");
  assert.equal(errorType(withCode("ECONNREFUSED")), "unavailable");
  assert.equal(errorType(withCode("ENOTFOUND")), "dns");
  assert.equal(errorType(withCode("CERT_HAS_EXPIRED")), "tls");
  assert.equal(errorType(withCode(11000, { name: "MongoServerError" })), "conflict");
  assert.equal(errorType(withCode(11000, { name: "MongoBulkWriteError" })), "conflict");
  const cut = Object.assign(new Error("read ECONNRESET"), { name: "MongoBulkWriteError" });
  assert.equal(errorType(cut), "unavailable");
  assert.equal(errorType(withCode("EENVELOPE", { responseCode: 451 })), "smtp_4xx");
  assert.equal(errorType(withCode("EENVELOPE", { responseCode: 550 })), "smtp_5xx");
  assert.equal(errorType(withCode("EAUTH", { responseCode: 535 })), "smtp_auth");
  assert.equal(errorType(Object.assign(new Error("x"), { statusCode: 413 })), "too_large");
});

test("errorType() returns the type that an error names itself, if it is in the list", () => {
  assert.equal(
    errorType(Object.assign(new Error("x"), { errorType: "rate_limited" })),
    "rate_limited",
  );
  assert.equal(errorType(Object.assign(new Error("x"), { errorType: "whatever" })), "internal");
});

test("errorType() returns the type of the cause for an error without one", () => {
  assert.equal(errorType(new Error("Cannot send", { cause: withCode("ETIMEDOUT") })), "timeout");
});

test("errorType() returns `internal` for everything else", () => {
  for (const thrown of ["text", undefined, null, 7, {}, new Error("x"), withCode("constructor")]) {
    assert.equal(errorType(thrown), "internal");
  }
  const cyclic = new Error("x");
  cyclic.cause = cyclic;
  assert.equal(errorType(cyclic), "internal");
  assert.ok(ERROR_TYPES.includes("internal"));
});
