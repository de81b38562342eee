/**
 * What telemetry costs a process for each mail: `node bench/telemetry_cost.ts`. It makes the spans and
 * measurements of mails without PDF, all stages together, and nothing else, once for each way of
 * switching telemetry on, and reports the processor time. The collector is a process of its own.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { MAX_MESSAGES_PER_EVENT } from "@posthaste/contracts";
import {
  count,
  injectTrace,
  recordDuration,
  startTelemetry,
  type Telemetry,
  withSpan,
} from "@posthaste/telemetry";
import { openNullCollector } from "./null_collector.ts";

const MAILS = 5000;

/** The ways to switch it on, by name; `traces` has all spans exported. */
const WAYS: Readonly<Record<string, { metrics: boolean; traces: boolean }>> = {
  "neither traces nor metrics leave the process": { metrics: false, traces: false },
  "metrics for Prometheus": { metrics: true, traces: false },
  "metrics for Prometheus, traces over OTLP": { metrics: true, traces: true },
};

/** Spans of the ledger's operations for one mail: acceptance, claim, dot, outcome. */
const OPERATIONS = ["sends.accept", "insertRegister", "writeOutcome"];

const CONSUMER = {
  "messaging.system": "nats",
  "messaging.destination.name": "messages.rendered",
  "messaging.consumer.group.name": "mailer_transactional",
  "messaging.operation.name": "process",
  "messaging.operation.type": "process",
};

const PRODUCER = {
  "messaging.system": "nats",
  "messaging.destination.name": "status.message.sent",
  "messaging.operation.name": "publish",
  "messaging.operation.type": "send",
};

async function work(kind: "server" | "consumer" | "client", name: string): Promise<void> {
  await withSpan(name, { kind, attributes: CONSUMER }, () => {
    recordDuration("messaging.process.duration", 0.004, CONSUMER);
  });
}

async function operation(name: string): Promise<void> {
  const attributes = { "db.system.name": "mongodb", "db.operation.name": name };
  await withSpan(name, { kind: "client", attributes }, () => {
    recordDuration("db.client.operation.duration", 0.002, attributes);
  });
}

/** The measurements of four published events. */
function publishEvents(): void {
  for (let event = 0; event < 4; event++) {
    injectTrace();
    recordDuration("messaging.client.operation.duration", 0.001, PRODUCER);
    count("messaging.client.sent.messages", 1, PRODUCER);
  }
}

/** The measurements of a sent mail. */
function measureSent(): void {
  recordDuration("posthaste.smtp.duration", 0.01);
  count("posthaste.smtp.outcomes", 1, {
    "posthaste.outcome": "sent",
    "smtp.response.status_class": "2xx",
    "posthaste.integration": "acc/1",
  });
  recordDuration("posthaste.message.duration", 0.05, { "posthaste.state": "sent" });
}

/** Some ten spans and thirty measurements, as a single mail has them. */
async function singleMail(): Promise<void> {
  await withSpan("POST /v1", { kind: "server" }, async () => {
    recordDuration("http.server.request.duration", 0.01, { "http.route": "/v1" });
    count("posthaste.accept.recipients", 1, { "posthaste.priority": "transactional" });
    for (const name of OPERATIONS) await operation(name);
    for (const stage of ["renderer", "mailer"]) {
      count("messaging.client.consumed.messages", 1, CONSUMER);
      recordDuration("posthaste.queue.wait.duration", 0.01, {
        "posthaste.stage": stage,
        "posthaste.priority": "transactional",
        "messaging.consumer.group.name": `${stage}_transactional`,
      });
      await work("consumer", "process messages.rendered");
      count("posthaste.step.verdicts", 1, {
        "posthaste.stage": stage,
        "posthaste.outcome": "done",
      });
    }
    await work("client", "smtp.send");
    publishEvents();
    measureSent();
  });
}

/** Three spans and seven measurements: the rest belongs to its event. */
async function mailOfBulk(): Promise<void> {
  recordDuration("posthaste.render.duration", 0.001);
  await operation("insertRegister");
  await work("client", "smtp.send");
  await operation("writeOutcome");
  measureSent();
}

/** The work on events with 25 mails, and the mails. */
async function bulkEvents(): Promise<void> {
  await withSpan("process send.resumed", { kind: "consumer", attributes: CONSUMER }, async () => {
    publishEvents();
    await work("consumer", "process messages.rendered");
    for (const name of ["sends.load", "suppressions.among"]) await operation(name);
    for (let mail = 0; mail < MAX_MESSAGES_PER_EVENT; mail++) await mailOfBulk();
  });
}

/** What is measured: this many mails at the same time. */
const KINDS: Readonly<Record<string, { run(): Promise<void>; mails: number }>> = {
  single: { run: singleMail, mails: 1 },
  bulk: { run: bulkEvents, mails: MAX_MESSAGES_PER_EVENT },
};

/** Microseconds of processor time that the whole process takes for one mail, export included. */
async function cost(telemetry: Telemetry, kind: string): Promise<number> {
  const { run, mails } = KINDS[kind] ?? { run: singleMail, mails: 1 };
  for (let n = 0; n < MAILS / 5; n += mails) await run();
  const before = process.cpuUsage();
  for (let n = mails; n <= MAILS; n += mails) {
    await run();
    // In pace with the exporter.
    if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 50));
  }
  if (telemetry.readMetrics) await telemetry.readMetrics("application/openmetrics-text");
  await telemetry[Symbol.asyncDispose]();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / MAILS;
}

async function measureOne(way: string, kind: string): Promise<void> {
  const { metrics, traces } = WAYS[way] ?? { metrics: false, traces: false };
  const env = traces ? process.env : {};
  const telemetry = await startTelemetry({ service: "bench", env, prometheus: metrics });
  process.stdout.write(`${(await cost(telemetry, kind)).toFixed(0)}\n`);
}

async function run(args: string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => output += chunk);
  await once(child, "close");
  return output.trim();
}

const [asked, askedKind = "single"] = process.argv.slice(2);
if (asked !== undefined) await measureOne(asked, askedKind);
else {
  using collector = await openNullCollector();
  const env = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    // None may be dropped: that would cost less.
    OTEL_BSP_MAX_QUEUE_SIZE: "100000",
    OTEL_BSP_SCHEDULE_DELAY: "100",
  };
  for (let round = 1; round <= 3; round++) {
    for (const kind of Object.keys(KINDS)) {
      for (const way of Object.keys(WAYS)) {
        const microseconds = await run([way, kind], env);
        process.stdout.write(`round ${round}: ${microseconds} µs a ${kind} mail, ${way}\n`);
      }
    }
  }
}
