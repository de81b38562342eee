/**
 * Builds every image: `npm run images`, and with `--prove` starts them by `deploy/compose.yaml` on this
 * machine, does the main job with them, and takes them down again. Where there is no registry, Debian's
 * base image is made here and broker and database are stand-ins: see deploy/README.md.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { freePort } from "@posthaste/embedded";
import { until } from "@posthaste/kit";
import { BASE, makeBaseImage } from "./base_image.ts";
import { buildImages } from "./build_images.ts";
import { type Composed, openComposed } from "./composed.ts";
import { checkContainment, REACHES } from "./containment.ts";
import { checkContents } from "./contents.ts";
import { type Engine, findEngine } from "./engine.ts";
import { doMainJob } from "./main_job.ts";
import { makeStandIns } from "./stand_ins.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

const { values } = parseArgs({
  options: {
    prove: { type: "boolean", default: false },
    "no-build": { type: "boolean", default: false },
    /** For the store, logs and copies; kept afterwards, so that the next build is quick. */
    folder: { type: "string", default: join(ROOT, ".posthaste/images") },
    source: { type: "string" },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function build(engine: Engine, version: string): Promise<void> {
  if (engine.name === "podman" && await makeBaseImage(engine, values.folder)) {
    say(`${BASE} was made by debootstrap`);
  }
  await buildImages({
    engine,
    root: ROOT,
    logDir: join(values.folder, "logs"),
    version,
    source: values.source,
    onBuilt: ({ name, bytes, seconds }) =>
      say(`${name.padEnd(22)} ${(bytes / 1e6).toFixed(0).padStart(5)} MB  ${seconds.toFixed(0)} s`),
  });
}

async function prove(engine: Engine): Promise<void> {
  const counts = Object.entries(await checkContents(engine)).map((each) => each.join(" "));
  say(`parts by each image's own SBOM: ${counts.join(", ")}`);
  for (const image of await makeStandIns(engine, values.folder)) say(`stand-in for ${image}`);
  const [api, dashboard, inbox] = [await freePort(), await freePort(), await freePort()];
  const smtp = { host: "172.30.25.25", port: 1025 };
  const from = performance.now();
  await using composed = await openComposed({
    engine,
    root: ROOT,
    folder: values.folder,
    env: {
      API_ADDRESS: `127.0.0.1:${api}`,
      DASHBOARD_ADDRESS: `127.0.0.1:${dashboard}`,
      INBOX_ADDRESS: `127.0.0.1:${inbox}`,
      EGRESS_ALLOW: smtp.host,
      COMPOSE_PROJECT_NAME: "posthaste-proof",
    },
  });
  try {
    await untilReady(composed);
    say(`all services are ready after ${((performance.now() - from) / 1000).toFixed(0)} s`);
    await tryOut(composed, { api, dashboard, inbox, smtp });
  } catch (error) {
    say(await composed.compose(["logs", "--tail", "5"]).catch(() => "no logs"));
    throw error;
  }
}

async function untilReady({ compose }: Composed): Promise<void> {
  const check = ["node", "/usr/share/posthaste/health_check.ts"];
  await Promise.all(
    Object.keys(REACHES).map((service) =>
      until(() => compose(["exec", "--no-TTY", service, ...check]).then(() => true, () => false), {
        timeoutMs: 90_000,
        everyMs: 2000,
        message: `"${service}" to be ready`,
      })
    ),
  );
}

interface Places {
  api: number;
  dashboard: number;
  inbox: number;
  smtp: { host: string; port: number };
}

async function tryOut(composed: Composed, { api, dashboard, inbox, smtp }: Places): Promise<void> {
  const demo = join(ROOT, "dev/demo");
  const run = ["run", "--rm", "--no-TTY", "--no-deps"];
  const { mails, pdfs, milliseconds } = await doMainJob({
    apiUrl: `http://127.0.0.1:${api}/v1`,
    dashboardUrl: `http://127.0.0.1:${dashboard}`,
    inboxUrl: `http://127.0.0.1:${inbox}`,
    demo,
    templates: "/templates",
    smtp,
    operate: (args) =>
      composed.compose([...run, "--volume", `${demo}:/templates:ro`, "cli", ...args]),
  });
  say(`${mails} mails with ${pdfs} PDFs arrived after ${milliseconds.toFixed(0)} ms`);
  await checkContainment((service, command) =>
    composed.compose(["exec", "--no-TTY", service, ...command])
  );
  say("every service is contained, and the printer reaches the broker alone");
  const log = await composed.compose(["logs", "--no-log-prefix", "pdf"]);
  if (/without its sandbox/.test(log)) throw new Error("Chromium runs without its sandbox");
  say("Chromium's own sandbox is on");
  await composed.compose(["--profile", "inbox", "stop"]);
  const ended = await composed.compose(["ps", "--all", "--format", "{{.Service}} {{.ExitCode}}"]);
  const wrong = ended.trim().split("\n").filter((line) => {
    const [service = "", code] = line.split(" ");
    return service in REACHES && code !== "0";
  });
  if (wrong.length > 0) throw new Error(`Some did not end in order: ${wrong.join(", ")}`);
  say("all ended in order");
}

const engine = await findEngine(values.folder);
const { version } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
if (!values["no-build"]) await build(engine, version);
if (values.prove) await prove(engine);
