/**
 * Starts the whole system and a real Prometheus with our alerts, sends mail, and asks it every query of
 * every panel: `npm run observability`. Wants `prometheus` on PATH. Exits with 1 if a query fails, a rule
 * does not evaluate, an alert fires, or a panel that ordinary mail should fill is empty.
 *
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "@posthaste/embedded";
import { openOtlpReceiver, openSmtpSink, until } from "@posthaste/kit";
import { openSystem, type System } from "../system.ts";
import { withoutVariables } from "./read_promql.ts";

const FOLDER = fileURLToPath(new URL("../../../deploy/observability", import.meta.url));
const SERVICES = ["api", "renderer", "pdf", "mailer", "tracker", "webhooks"] as const;
const MAILS = 40;

/** The reconciler examines a send for the first time half a minute after its acceptance. */
const SETTLE_MS = 40_000;

/** Metrics without values in a healthy system. */
const QUIET = [
  "Failed messages by stage",
  "Events that were refused or given up",
  "Integrations with most failed attempts",
  "Refused",
  "Chromium: replaced",
  // No account has an endpoint.
  "Webhook requests",
];

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

function healthPortOf(system: System, service: string): number {
  const line = system.lines.find((text) =>
    text.startsWith(`${service} `) && text.includes('"message":"Starting"')
  );
  const [, port] = line?.match(/"healthPort":(\d+)/) ?? [];
  if (port === undefined) throw new Error(`Cannot find the health port of "${service}"`);
  return Number(port);
}

function configOf(system: System): string {
  return JSON.stringify({
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    rule_files: [join(FOLDER, "alerts.yaml")],
    scrape_configs: SERVICES.map((service) => ({
      job_name: service,
      static_configs: [{ targets: [`127.0.0.1:${healthPortOf(system, service)}`] }],
    })),
  });
}

async function openPrometheus(system: System, folder: string) {
  const port = await freePort();
  const config = join(folder, "prometheus.yaml");
  await writeFile(config, configOf(system));
  const child = spawn("prometheus", [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--enable-feature=exemplar-storage",
    "--log.level=warn",
  ], { stdio: ["ignore", "inherit", "inherit"] });
  await once(child, "spawn");
  const url = `http://127.0.0.1:${port}`;
  await until(() => fetch(`${url}/-/ready`).then(({ ok }) => ok, () => false), {
    timeoutMs: 20_000,
    message: "Prometheus to be ready",
  });
  return {
    ask: async <Answer>(path: string): Promise<Answer> => {
      const response = await fetch(`${url}/api/v1/${path}`);
      const { data, error } = await response.json() as { data: Answer; error?: string };
      if (error !== undefined) throw new Error(error);
      return data;
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

type Prometheus = Awaited<ReturnType<typeof openPrometheus>>;

async function checkPanels({ ask }: Prometheus): Promise<string[]> {
  const faults: string[] = [];
  let queries = 0;
  for (const file of globSync("dashboards/*.json", { cwd: FOLDER })) {
    const { panels } = JSON.parse(readFileSync(join(FOLDER, file), "utf8")) as { panels: Panel[] };
    for (const { title, targets = [] } of panels) {
      let series = 0;
      for (const { expr } of targets) {
        queries++;
        const query = encodeURIComponent(withoutVariables(expr));
        const { result } = await ask<{ result: unknown[] }>(`query?query=${query}`);
        series += result.length;
      }
      if (targets.length > 0 && series === 0 && !QUIET.includes(title)) faults.push(title);
    }
  }
  process.stdout.write(`${queries} queries of panels answered, ${faults.length} panels empty\n`);
  return faults.map((title) => `the panel "${title}" is empty`);
}

async function checkRules({ ask }: Prometheus): Promise<string[]> {
  interface Rule {
    name: string;
    health: string;
    state: string;
    lastError?: string;
  }
  const { groups } = await ask<{ groups: { rules: Rule[] }[] }>("rules");
  const rules = groups.flatMap((group) => group.rules);
  process.stdout.write(`${rules.length} alerts evaluated\n`);
  return rules.flatMap(({ name, health, state, lastError }) =>
    health === "ok" && state !== "firing"
      ? []
      : [`${name} is ${health}, ${state} ${lastError ?? ""}`]
  );
}

async function checkExemplars({ ask }: Prometheus): Promise<string[]> {
  const query = encodeURIComponent("posthaste_smtp_duration_seconds_bucket");
  const start = Date.now() / 1000 - 600;
  const found = await ask<{ exemplars: { labels: { trace_id: string } }[] }[]>(
    `query_exemplars?query=${query}&start=${start}&end=${Date.now() / 1000 + 5}`,
  );
  const count = found.flatMap(({ exemplars }) => exemplars).length;
  process.stdout.write(`${count} exemplars of posthaste_smtp_duration_seconds kept\n`);
  return count > 0 ? [] : ["Prometheus kept no exemplar"];
}

await using folder = await mkdtempDisposable(join(tmpdir(), "posthaste-prometheus-"));
await using collector = await openOtlpReceiver();
await using sink = await openSmtpSink();
await using system = await openSystem({
  webhooks: true,
  env: collector.envOf("http/protobuf"),
});
await using prometheus = await openPrometheus(system, folder.path);
const integration = await system.connect(sink.port);
const template = await system.publishEmail({ subject: "Hello", html: "<p>Hi {{ n }}" });
const pdf = await system.publishPdf({ html: "<p>PDF {{ n }}" });
for (let n = 0; n < MAILS; n++) {
  const attachments = n % 4 === 0 ? [{ id: pdf, variables: { n } }] : [];
  await system.send({
    template,
    integration,
    to: [{ email: `r${n}@mail.example`, variables: { n }, attachments }],
  });
  await delay(200);
}
await delay(SETTLE_MS);
const faults = [
  ...await checkPanels(prometheus),
  ...await checkRules(prometheus),
  ...await checkExemplars(prometheus),
];
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
