import assert from "node:assert/strict";
import { test } from "node:test";
import { headerFault, MAX_HEADERS } from "./header_fault.ts";

function faultOf(rawHeaders: string[], httpVersion = "1.1") {
  const headers: Record<string, string> = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers[String(rawHeaders[at]).toLowerCase()] ??= String(rawHeaders[at + 1]);
  }
  return headerFault({ rawHeaders, headers, httpVersion, socket: {} })?.message;
}

test("headerFault() finds nothing in an ordinary request", () => {
  assert.equal(
    faultOf(["Host", "x", "Accept", "a", "Accept", "b", "Content-Type", "x"]),
    undefined,
  );
  assert.equal(faultOf(["Host", "x", "Transfer-Encoding", "Chunked"]), undefined);
  assert.equal(faultOf([], "1.0"), undefined);
});

test("headerFault() finds headers that two readers may read as two requests", () => {
  assert.match(String(faultOf(["Host", "x", "HOST", "y"])), /"host" appears twice/);
  for (const name of ["Authorization", "Content-Type", "Idempotency-Key", "Content-Encoding"]) {
    assert.match(String(faultOf(["Host", "x", name, "1", name.toLowerCase(), "1"])), /twice/);
  }
  assert.match(String(faultOf(["Host", "x", "Transfer-Encoding", "gzip, chunked"])), /chunked/);
  assert.match(String(faultOf(["Accept", "x"])), /"host" is missing/);
});

test("headerFault() refuses everything that follows on the same connection", () => {
  const good = { rawHeaders: ["Host", "x"], headers: { host: "x" }, httpVersion: "1.1" };
  const [socket, other] = [{}, {}];
  assert.equal(headerFault({ ...good, socket }), undefined);
  assert.equal(headerFault({ ...good, httpVersion: "2.0", socket })?.close, true);
  assert.match(String(headerFault({ ...good, socket })?.message), /an earlier request/);
  assert.equal(headerFault({ ...good, socket: other }), undefined);
});

test("headerFault() finds too many headers", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => [`x-${index}`, ""]);
  assert.equal(faultOf(["Host", "x", ...many(MAX_HEADERS - 1).flat()]), undefined);
  assert.match(String(faultOf(["Host", "x", ...many(MAX_HEADERS).flat()])), /more than 100/);
});
