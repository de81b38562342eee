import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { type LoggerOptions, openLogger } from "./logger.ts";
import { withSpan } from "./span.ts";
import { startTelemetry } from "./start_telemetry.ts";
import { currentTrace } from "./trace_context.ts";

function openTestLogger(level: LoggerOptions["level"]) {
  const lines: string[] = [];
  const logger = openLogger({ service: "renderer", level, write: (line) => lines.push(line) });
  return { logger, records: () => lines.map((line) => JSON.parse(line)) };
}

test("openLogger() writes one JSON line per record, with the standard fields", () => {
  const { logger, records } = openTestLogger("info");
  logger.info("Rendered\nfor jane@example.com", { priority: "bulk", email: "jane@example.com" });
  const [record] = records();
  assert.match(record.time, /^\d{4}-\d\d-\d\dT.*Z$/);
  assert.deepEqual({ ...record, time: "" }, {
    time: "",
    level: "info",
    service: "renderer",
    message: "Rendered\nfor j…@example.com",
    priority: "bulk",
    email: "[redacted]",
  });
});

test("openLogger() leaves out records below its level", () => {
  const { logger, records } = openTestLogger("warn");
  logger.debug("a");
  logger.info("b");
  logger.warn("c");
  logger.error("d");
  assert.deepEqual(records().map((record) => record.message), ["c", "d"]);
});

test("child() adds its fields, redacted, and no field replaces a standard one", () => {
  const { logger, records } = openTestLogger("debug");
  logger.child({ send: "s1", token: "leak" }).child({ message: "fake" }).info("Real", {
    level: "fake",
    service: "fake",
  });
  const [record] = records();
  assert.equal(record.send, "s1");
  assert.equal(record.token, "[redacted]");
  assert.deepEqual([record.level, record.service, record.message], ["info", "renderer", "Real"]);
});

test("openLogger() adds the ids of the current trace", async () => {
  await using _telemetry = await startTelemetry({ service: "renderer", env: {} });
  const { logger, records } = openTestLogger("info");
  const traceId = await withSpan("renderer.render", {}, () => {
    logger.info("inside");
    return currentTrace()?.traceId;
  });
  logger.info("outside");
  const [inside, outside] = records();
  assert.equal(inside.traceId, traceId);
  assert.match(inside.spanId, /^[0-9a-f]{16}$/);
  assert.equal(outside.traceId, undefined);
});

test("openLogger() writes whole lines to the standard output, also just before the process ends", () => {
  const script = `
    import { openLogger } from ${JSON.stringify(new URL("./logger.ts", import.meta.url).href)};
    const logger = openLogger({ service: "x", level: "info" });
    const other = openLogger({ service: "y", level: "info" });
    for (let i = 0; i < 5000; i++) (i % 2 ? logger : other).info("line", { i });
    logger.flushSync();
    process.exit(3);`;
  const child = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
  });
  assert.equal(child.status, 3, child.stderr);
  const lines = child.stdout.trimEnd().split("\n").map((line) => JSON.parse(line).i);
  assert.deepEqual(lines, Array.from({ length: 5000 }, (_, i) => i));
});

test("flushSync() lets a process end whose log nobody reads any more", async () => {
  const script = `
    import { openLogger } from ${JSON.stringify(new URL("./logger.ts", import.meta.url).href)};
    const logger = openLogger({ service: "x", level: "info" });
    process.stdin.once("data", () => {
      for (let i = 0; i < 5000; i++) logger.info("line", { i });
      logger.flushSync();
      process.exit(3);
    });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const ended = once(child, "exit");
  child.stdout.destroy();
  child.stdin.end("go");
  const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
  const [code] = await ended;
  clearTimeout(timer);
  assert.equal(code, 3);
});
