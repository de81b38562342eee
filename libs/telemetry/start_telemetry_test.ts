import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { startTelemetry } from "./start_telemetry.ts";
import { injectTrace } from "./trace_context.ts";
import { withSpan } from "./span.ts";

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
      await withSpan("mailer.send", { attributes: { "posthaste.lane": "bulk" } }, () => {});
      count("posthaste.smtp.outcomes", 2, { "posthaste.outcome": "sent" });
      recordDuration("posthaste.smtp.duration", 0.2);
    }
    await logger.flush();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    env: { PATH: process.env["PATH"], OTEL_EXPORTER_OTLP_PROTOCOL: "http/json", ...env },
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

test("startTelemetry() lets the process end when the collector is down", async () => {
  const started = performance.now();
  const { code, output } = await runTelemetry({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_EXPORTER_OTLP_TIMEOUT: "1000",
  });
  assert.equal(code, 0);
  assert.ok(performance.now() - started < 12_000);
  for (const line of output.trimEnd().split("\n")) JSON.parse(line);
});

test("startTelemetry() exports nothing without an endpoint, yet traces travel", async () => {
  {
    await using telemetry = await startTelemetry({ service: "mailer", env: {} });
    assert.deepEqual([telemetry.exportsTraces, telemetry.exportsMetrics], [false, false]);
    assert.match(await withSpan("x", {}, () => injectTrace().traceparent ?? ""), /^00-.*-01$/);
  }
  assert.deepEqual(await withSpan("x", {}, () => injectTrace()), {});
});
