import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { pageOptionsSchema } from "@posthaste/contracts";
import { chromiumCacheDir } from "@posthaste/embedded";
import { type Bus, openBus } from "@posthaste/messaging";
import { openStore } from "@posthaste/storage";
import { nightly, openTestMongo, openTestNats } from "@posthaste/kit";
import { denoProgram, type DenoRuntime, openDenoRuntime } from "./deno_runtime.ts";
import { type ServiceProcess, startService } from "./service_process.ts";
import type { ServiceName } from "./part_name.ts";

nightly("dev/deno_flags_test.ts");

const ROOT = join(import.meta.dirname, "..");

let bus: Bus;
let deno: DenoRuntime;
let settings: Record<string, string | undefined>;
let opened: AsyncDisposableStack;

before(async () => {
  await using stack = new AsyncDisposableStack();
  // Deno forbids writing below "/dev", where `tmpdir()` may be.
  const folder = await mkdtemp(join("/tmp", "posthaste-deno-"));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const mongod = stack.use(await openTestMongo());
  const nats = stack.use(await openTestNats());
  await using store = await openStore({ url: mongod.url });
  await store.ensureIndexes();
  bus = stack.use(await openBus({ url: nats.url, name: "test" }));
  await bus.applyTopology();
  settings = { ...process.env, MONGODB_URL: mongod.url, NATS_URL: nats.url };
  deno = openDenoRuntime({
    env: process.env,
    root: ROOT,
    cacheDir: chromiumCacheDir(process.env),
    temporaryDir: join(folder, "pdf"),
  });
  opened = stack.move();
});
after(() => opened?.disposeAsync());

/** Its compiler loads half of the built-in modules. */
const MJML =
  "<mjml><mj-body><mj-section><mj-column><mj-text>Dear {{ name }}</mj-text></mj-column>" +
  "</mj-section></mj-body></mjml>";

interface StartOptions {
  /** Changes the service's permissions. */
  lessen?: (flag: string) => string;
  /** A line that ends the wait until it is ready. */
  unless?: RegExp;
}

/** Starts a service on Deno. */
async function start(
  name: ServiceName,
  { lessen = (flag) => flag, unless }: StartOptions = {},
): Promise<ServiceProcess> {
  const failing = new AbortController();
  return await startService({
    signal: failing.signal,
    onLine: (line) => {
      if (unless?.test(line)) failing.abort(new Error(line));
    },
    name,
    main: join(ROOT, `services/${name}/main.ts`),
    env: { ...settings, ...await deno.envOf(name) },
    startTimeoutMs: 15_000,
    command: async (env) => {
      const [program, ...flags] = await deno.commandOf(name, env);
      return [program, ...flags.map(lessen).filter((flag) => flag !== "")];
    },
  });
}

test("renderer and pdf fill and print on Deno with their own permissions, and stop in order", {
  timeout: 60_000,
}, async () => {
  await using renderer = await start("renderer");
  await using pdf = await start("pdf");
  const filled = await bus.ask("preview.requested", {
    ...{ v: 2, accountId: "acc_1", declarations: [], locale: "de" },
    template: {
      kind: "pdf",
      filename: "invoice-{{ number }}",
      html: { inline: "<p>Rechnung {{ number }}: {{ currency sum 'EUR' }}" },
      page: pageOptionsSchema.parse({}),
    },
    variables: { number: 42, sum: 1234.5 },
  }, { timeoutMs: 15_000 });
  assert.ok(filled?.ok, JSON.stringify(filled));
  const { html } = filled.parts;
  assert.match("inline" in html ? html.inline : "", /Rechnung 42: 1\.234,50/);
  const printed = await bus.ask("print.requested", {
    ...{ v: 2, accountId: "acc_1", name: "invoice-42", html, page: pageOptionsSchema.parse({}) },
  }, { timeoutMs: 20_000 });
  assert.ok(printed?.ok, JSON.stringify(printed));
  const bytes = await bus.objects("pdfs").get(printed.key);
  assert.equal(Buffer.from(bytes ?? []).subarray(0, 5).toString(), "%PDF-");
  const mail = await bus.ask("preview.requested", {
    ...{ v: 2, accountId: "acc_1", declarations: [], locale: "en", variables: { name: "Zoë" } },
    template: { kind: "email", subject: "Hello", html: { inline: MJML } },
  }, { timeoutMs: 25_000 });
  assert.ok(mail?.ok, JSON.stringify(mail));
  assert.match("inline" in mail.parts.html ? mail.parts.html.inline : "", /<table[^]*Dear Zoë/);
  for (const service of [renderer, pdf]) {
    service.signal("SIGTERM");
    assert.equal(await service.exited, 0, service.name);
  }
});

test("code that breaks out of a template on Deno reaches no file, process, network or name", async () => {
  // The same test as on Node, and its worker on Deno: as everywhere, the host chooses by what it runs on.
  const file = join(ROOT, "libs/templating/_lock_down_test.ts");
  const { stdout } = await promisify(execFile)(
    denoProgram(ROOT),
    ["test", "--allow-all", "--no-check", file],
    { env: { ...process.env, NO_COLOR: "1" }, timeout: 30_000 },
  );
  assert.match(stdout, /1 passed \| 0 failed/);
});

interface Lessened {
  flag: string;
  /** The value of the flag; nothing if it is missing. */
  rest?: (flag: string) => string;
  says: RegExp;
}

const LESS: Readonly<Record<string, Lessened>> = {
  "the database's host": {
    flag: "--allow-net",
    rest: (flag) => flag.replace(`${new URL(settings["MONGODB_URL"] ?? "").host},`, ""),
    // It waits for the database as for an unavailable one.
    says: /Requires net access to \\"127\.0\.0\.1:\d+\\"/,
  },
  "its variables": { flag: "--allow-env", says: /MONGODB_URL is missing/ },
  // The client reports its platform to the server, and learns nothing.
  "the question for the system's release": {
    flag: "--allow-sys",
    rest: (flag) => flag.replace(",osRelease", ""),
    says: /in the client metadata document/,
  },
};

describe("tracker", { concurrency: true }, () => {
  test("starts on Deno with its own permissions and is ready", { timeout: 60_000 }, async () => {
    await using tracker = await start("tracker");
    assert.equal((await fetch(`${tracker.healthUrl}/readyz`)).status, 200);
  });

  for (const [what, { flag, rest = () => "", says }] of Object.entries(LESS)) {
    test(`does not start on Deno without ${what}`, { timeout: 60_000 }, async () => {
      const lessen = (given: string) => given.startsWith(`${flag}=`) ? rest(given) : given;
      await assert.rejects(start("tracker", { lessen, unless: says }), says);
    });
  }
});
