import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { startTelemetry } from "./start_telemetry.ts";
import { count, observe, recordDuration } from "./metrics.ts";
import { currentTraceId, injectTrace } from "./trace_context.ts";
import { withSpan } from "./span.ts";

const { PATH, NODE_COMPILE_CACHE } = process.env;
const MODULE = JSON.stringify(new URL("./mod.ts", import.meta.url).href);

/** Runs telemetry in a process of its own: the SDK reads the environment of the process. */
async function runTelemetry(env: Record<string, string>) {
  const script = `
    import { count, openLogger, recordDuration, startTelemetry, withSpan } from ${MODULE};
    const logger = openLogger({ service: "a", level: "info" });
    {
      await using telemetry = await startTelemetry({
        service: "mailer", version: "1.2.3", env: process.env, logger,
      });
      await withSpan("mailer.send", { attributes: { "posthaste.priority": "bulk" } }, () => {});
      count("posthaste.smtp.outcomes", 2, { "posthaste.outcome": "sent" });
      recordDuration("posthaste.smtp.duration", 0.2);
    }
    await logger.flush();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { PATH, NODE_COMPILE_CACHE, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return { output, code };
}

async function openCollector() {
  const received: Record<string, string> = {};
  const server = createServer(async (request, response) => {
    received[request.url ?? ""] = await text(request);
    response.setHeader("content-type", "application/json").end("{}");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("startTelemetry() sends traces and metrics to the endpoint before it is disposed", async () => {
  await using collector = await openCollector();
  const { code } = await runTelemetry({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  assert.equal(code, 0);
  const { "/v1/traces": traces = "", "/v1/metrics": metrics = "" } = collector.received;
  assert.match(traces, /"mailer\.send"/);
  assert.match(traces, /"service\.name","value":\{"stringValue":"mailer"\}/);
  assert.match(traces, /"service\.version","value":\{"stringValue":"1\.2\.3"\}/);
  assert.match(metrics, /posthaste\.smtp\.outcomes/);
  assert.match(metrics, /posthaste\.smtp\.duration/);
});

test("startTelemetry() honors OTEL_SERVICE_NAME, OTEL_TRACES_SAMPLER and the endpoint of one signal", async () => {
  await using collector = await openCollector();
  const common = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` };
  await runTelemetry({ ...common, OTEL_TRACES_SAMPLER: "always_off" });
  assert.deepEqual(Object.keys(collector.received), []);
  await runTelemetry({ ...common, OTEL_SERVICE_NAME: "other" });
  assert.deepEqual(Object.keys(collector.received), ["/v1/traces"]);
  assert.match(collector.received["/v1/traces"] ?? "", /"stringValue":"other"/);
});

test("startTelemetry() does not keep the process running when the collector is down", async () => {
  const { code, output } = await runTelemetry({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
  });
  assert.equal(code, 0);
  for (const line of output.trimEnd().split("\n")) JSON.parse(line);
});

test("startTelemetry() abandons a collector that hangs after 3 s", async ({ mock }) => {
  const asked = Promise.withResolvers<ServerResponse>();
  const hanging = createServer((_request, response) => asked.resolve(response));
  await once(hanging.listen(0, "127.0.0.1"), "listening");
  const { port } = hanging.address() as AddressInfo;
  // The SDK reads it from the process itself.
  const endpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  process.env[endpoint] = `http://127.0.0.1:${port}/v1/traces`;
  const warnings: string[] = [];
  const logger = { warn: (message: string) => void warnings.push(message) };
  mock.timers.enable({ apis: ["setTimeout"] });
  const telemetry = await startTelemetry({ service: "mailer", env: process.env, logger });
  delete process.env[endpoint];
  await withSpan("x", {}, () => {});
  const disposed = telemetry[Symbol.asyncDispose]();
  const unanswered = await asked.promise;
  mock.timers.tick(2999);
  assert.deepEqual(warnings, []);
  mock.timers.tick(1);
  await disposed;
  assert.deepEqual(warnings, ["Cannot send the last telemetry: it took longer than 3000 ms"]);
  unanswered.setHeader("connection", "close").end();
  hanging.close();
});

test("startTelemetry() exports nothing without an endpoint, yet traces travel", async () => {
  {
    await using telemetry = await startTelemetry({ service: "mailer", env: {} });
    assert.deepEqual([telemetry.exportsTraces, telemetry.exportsMetrics], [false, false]);
    assert.match(await withSpan("x", {}, () => injectTrace().traceparent ?? ""), /^00-.*-01$/);
  }
  assert.deepEqual(await withSpan("x", {}, () => injectTrace()), {});
});

test("startTelemetry() offers metrics to readers, with the process's own, and no exemplars without an exporter", async () => {
  await using telemetry = await startTelemetry({
    service: "mailer",
    version: "1.2.3",
    env: {},
    prometheus: true,
  });
  await withSpan("x", {}, () => recordDuration("posthaste.smtp.duration", 0.2));
  count("posthaste.smtp.outcomes", 2, { "posthaste.outcome": "sent" });
  using _queue = observe("posthaste.queue.oldest_age", () => [{
    value: 7.5,
    attributes: { "posthaste.stage": "pdf", "posthaste.priority": "bulk" },
  }]);
  const { contentType, body } = await telemetry.readMetrics?.("text/plain") ?? {};
  assert.equal(contentType, "text/plain; version=0.0.4; charset=utf-8");
  assert.ok(body);
  for (
    const line of [
      'posthaste_smtp_duration_seconds_bucket{le="0.1"} 0',
      'posthaste_smtp_duration_seconds_bucket{le="0.25"} 1',
      'posthaste_smtp_duration_seconds_bucket{le="1.0"} 1',
      'posthaste_smtp_duration_seconds_bucket{le="+Inf"} 1',
      "posthaste_smtp_duration_seconds_count 1",
      "# TYPE posthaste_smtp_outcomes_total counter",
      'posthaste_smtp_outcomes_total{posthaste_outcome="sent"} 2',
      'posthaste_queue_oldest_age_seconds{posthaste_stage="pdf",posthaste_priority="bulk"} 7.5',
    ]
  ) assert.ok(body.split("\n").includes(line), line);
  assert.match(body, /^process_cpu_time_seconds_total\{cpu_mode="user"\} \d/m);
  assert.match(body, /^nodejs_eventloop_utilization_ratio \d/m);
  assert.match(body, /^target_info\{.*service_name="mailer".*service_version="1\.2\.3"/m);
  assert.doesNotMatch(body, /trace_id/);
});

test("startTelemetry() returns OpenMetrics, with an exemplar that links to the exported trace", async () => {
  await using collector = await openCollector();
  // The SDK reads it from the process itself.
  const endpoint = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  process.env[endpoint] = `${collector.url}/v1/traces`;
  await using telemetry = await startTelemetry({
    service: "mailer",
    env: process.env,
    prometheus: true,
  });
  delete process.env[endpoint];
  const traceId = await withSpan("mailer.send", {}, () => {
    recordDuration("posthaste.message.duration", 45, { "posthaste.state": "sent" });
    return currentTraceId();
  });
  recordDuration("posthaste.message.duration", 400, { "posthaste.state": "sent" });
  const page = await telemetry.readMetrics?.(
    "application/openmetrics-text;version=1.0.0,*/*;q=0.1",
  );
  assert.match(page?.contentType ?? "", /^application\/openmetrics-text; version=1\.0\.0/);
  const lines = page?.body.split("\n") ?? [];
  const reported = lines.filter((line) => line.includes("# {"));
  assert.equal(reported.length, 1);
  assert.match(
    reported[0] ?? "",
    new RegExp(
      '^posthaste_message_duration_seconds_bucket\\{posthaste_state="sent",le="60.0"\\} 1 ' +
        `# \\{trace_id="${traceId}",span_id="[0-9a-f]{16}"\\} 45 \\d+(\\.\\d+)?$`,
    ),
  );
  assert.ok(lines.includes("# UNIT posthaste_message_duration_seconds seconds"));
  assert.equal(lines.at(-2), "# EOF");
});

test("startTelemetry() offers no metrics to readers if they are switched off", async () => {
  for (const env of [{ OTEL_METRICS_EXPORTER: "none" }, { OTEL_SDK_DISABLED: "true" }]) {
    await using telemetry = await startTelemetry({ service: "a", env, prometheus: true });
    assert.equal(telemetry.readMetrics, undefined);
  }
});

test("startTelemetry() writes metrics that Prometheus's own tool accepts", async (t) => {
  if (spawnSync("promtool", ["--version"]).error !== undefined) {
    return t.skip("promtool is missing; install prometheus");
  }
  await using telemetry = await startTelemetry({ service: "a", env: {}, prometheus: true });
  recordDuration("posthaste.smtp.duration", 0.2);
  count("posthaste.due.dispatched");
  const page = await telemetry.readMetrics?.(undefined);
  const { stdout, stderr } = spawnSync("promtool", ["check", "metrics"], {
    input: page?.body,
    encoding: "utf8",
  });
  // OpenTelemetry's convention has a name that Prometheus would not choose.
  const known = /^process_unix_file_descriptor_count .*"_count" suffix$/;
  const complaints = `${stdout}${stderr}`.split("\n").filter((line) => line && !known.test(line));
  assert.deepEqual(complaints, []);
});
