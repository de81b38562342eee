import assert from "node:assert/strict";
import { test } from "node:test";
import { startFailure } from "./_start_failure.ts";

function messageFor(log: string): string {
  return startFailure({
    program: "mongod",
    port: 27017,
    dataDir: "data/mongo",
    log,
    end: "ended with code 1",
  }).message;
}

test("startFailure() names a full disk and the place to free space", () => {
  assert.equal(
    messageFor('{"error":"28: No space left on device"}'),
    'Cannot start mongod on port "27017": the disk that holds "data/mongo" is full; ' +
      "free some space there",
  );
});

test("startFailure() names the library that the system lacks", () => {
  const log = "mongod: error while loading shared libraries: libcurl.so.4: cannot open";
  assert.match(messageFor(log), /"libcurl.so.4" is missing; install it .*apt-get install libcurl4/);
});

test("startFailure() contains the last lines of the log if it knows no cause", () => {
  const log = Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n");
  const message = messageFor(log);
  assert.match(message, /it ended with code 1; its last output was:\n {2}line 12\n/);
  assert.ok(message.endsWith("line 19"));
});
