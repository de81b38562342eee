import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatDuration, parseBytes, parseDuration } from "./units.ts";

test("parseDuration() reads milliseconds to days and nothing else", () => {
  assert.deepEqual(
    ["0", "500ms", "30s", "1.5m", "48h", "7 d", "5M"].map(parseDuration),
    [0, 500, 30_000, 90_000, 172_800_000, 604_800_000, 300_000],
  );
  for (const text of ["", "30", "-1s", "s", "1y", "1e3s", "30s5", "99999999999999s"]) {
    assert.equal(parseDuration(text), undefined, text);
  }
});

test("parseBytes() takes MB as millions and MiB as powers of 1,024", () => {
  assert.deepEqual(
    ["0", "512B", "25MB", "512KiB", "1gib", "1.5kb"].map(parseBytes),
    [0, 512, 25_000_000, 524_288, 1_073_741_824, 1500],
  );
  for (const text of ["25", "25XB", "MB", "1 2MB"]) assert.equal(parseBytes(text), undefined, text);
});

test("formatDuration() and formatBytes() write what is read back as the same", () => {
  for (const value of [0, 1, 500, 30_000, 90_000, 172_800_000]) {
    assert.equal(parseDuration(formatDuration(value)), value);
  }
  for (const value of [0, 1, 1500, 25_000_000, 524_288]) {
    assert.equal(parseBytes(formatBytes(value)), value);
  }
  assert.deepEqual([formatDuration(90_000), formatBytes(25_000_000)], ["90s", "25MB"]);
});
