import assert from "node:assert/strict";
import { test } from "node:test";
import { formatRecord, isImportant, type Paint, parseLogLine } from "./log_line.ts";

const plain: Paint = (_colour, text) => text;
const named: Paint = (colour, text) => `<${colour}>${text}</>`;
const line = (fields: Record<string, unknown>) =>
  JSON.stringify({ time: "2026-03-02T09:10:11.000Z", service: "mailer", ...fields });

function format(text: string, look: { columns?: number; isVerbose?: boolean; paint?: Paint } = {}) {
  const record = parseLogLine(text);
  assert.ok(record);
  return formatRecord("mailer", record, { paint: plain, isVerbose: false, ...look })
    .replace(/\d\d:\d\d:\d\d/, "09:10:11");
}

test("formatRecord() writes time, service, level, message and fields", () => {
  const warning = line({ level: "warn", message: "Cannot reconcile", step: "a b", traceId: "t" });
  assert.equal(format(warning), '09:10:11 mailer    warn Cannot reconcile step="a b"');
  assert.match(format(warning, { isVerbose: true }), / traceId=t$/);
});

test("formatRecord() leaves the level info out, and keeps the sentence of an error", () => {
  const record = {
    level: "info",
    message: "Done",
    error: { type: "E", message: "no", stack: "…" },
  };
  assert.equal(format(line(record)), '09:10:11 mailer    Done error="no"');
  assert.match(format(line(record), { isVerbose: true }), /stack/);
});

test("formatRecord() breaks a long record below its first word", () => {
  const text = format(line({ level: "error", message: "word ".repeat(30).trim() }), {
    columns: 60,
  });
  const [first = "", second = ""] = text.split("\n");
  assert.ok(first.length <= 60);
  assert.equal(second.indexOf("word"), first.indexOf("error"));
});

test("formatRecord() colours service and level", () => {
  const text = format(line({ level: "error", message: "no" }), { paint: named });
  assert.match(text, /<green>mailer {3}<\/> <red>error<\/> no$/);
});

test("parseLogLine() returns undefined for lines that are not records", () => {
  for (const text of ["Error: no", "{", "{}", '{"time":1,"level":"info","message":"a"}']) {
    assert.equal(parseLogLine(text), undefined, text);
  }
});

test("isImportant() keeps warnings, errors and the news", () => {
  assert.ok(isImportant({ level: "warn", message: "a" }));
  assert.ok(isImportant({ level: "info", message: "Redispatched" }));
  assert.ok(!isImportant({ level: "info", message: "Starting" }));
});
