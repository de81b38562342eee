import { EventEmitter, once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type ServiceProcess, startService } from "@posthaste/dev";
import { freePort } from "@posthaste/embedded";
import { openBus } from "@posthaste/messaging";
import { openStore, type Store } from "@posthaste/storage";
import { openTestMongo, openTestNats } from "@posthaste/kit";
import { makeAccount, type RunAccount, SENDER } from "@posthaste/chaos";
import { MASTER_KEY } from "@posthaste/chaos";

/** A real api and a real renderer, each a process of its own, as targets. */
export interface HttpTarget extends AsyncDisposable {
  readonly port: number;
  /** Longest time for a request to arrive, and for an idle connection. */
  readonly patienceMs: number;
  readonly account: RunAccount;
  /** Another account, whose requests must not be affected. */
  readonly bystander: RunAccount;
  /** Other log records at level error. */
  readonly errors: string[];
  /** Memory of the api that is in RAM, in bytes; with garbage that is not collected yet. */
  rss(): Promise<number>;
  /** The most memory of the api that was ever in RAM, in bytes. */
  peakBytes(): Promise<number>;
  /** Memory of the api that is in use, in bytes. Collects all garbage first, which takes it some 100 ms. */
  liveBytes(): Promise<number>;
  /** Time on a processor that the api has used, in milliseconds, to the next 10. */
  cpuMs(): Promise<number>;
  /** Starts one more api, and returns its port. */
  startApi(settings: Record<string, string>): Promise<number>;
}

const TICK_MS = 10;
const LIVE_MEMORY = join(import.meta.dirname, "_report_live_memory.ts");

/** Starts the targets, with broker and database. They send no mail. */
export async function openHttpTarget(
  { patienceMs }: Pick<HttpTarget, "patienceMs">,
): Promise<HttpTarget> {
  await using opened = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-malicious-"));
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const [mongo, nats] = await Promise.all([
    openTestMongo().then((server) => opened.use(server)),
    openTestNats().then((server) => opened.use(server)),
  ]);
  const bus = opened.use(await openBus({ url: nats.url, name: "malicious" }));
  await bus.applyTopology();
  const store = opened.use(await openStore({ url: mongo.url, appName: "malicious" }));
  await store.ensureIndexes();
  const errors: string[] = [];
  const reports = new EventEmitter<{ live: [number] }>();
  let running: AsyncDisposableStack = opened;
  const start = async (role: "api" | "renderer", settings: Record<string, string>) =>
    running.use(
      await startService({
        name: role,
        main: join(import.meta.dirname, `../../services/${role}/main.ts`),
        env: {
          ...process.env,
          MONGODB_URL: mongo.url,
          NATS_URL: nats.url,
          MASTER_KEY,
          HOST: "127.0.0.1",
          TMPDIR: dataDir,
          ...settings,
        },
        nodeFlags: ["--expose-gc", `--import=${LIVE_MEMORY}`],
        onLine: (line) => {
          if (/"level":"(error|fatal)"/i.test(line)) errors.push(line);
          const [, live] = /^{"liveBytes":(\d+)}$/.exec(line) ?? [];
          if (live !== undefined) reports.emit("live", Number(live));
        },
      }),
    );
  const startApi = async (settings: Record<string, string>) => {
    const port = await freePort();
    return { port, api: await start("api", { PORT: String(port), ...settings }) };
  };
  const [{ port, api }] = await Promise.all([
    startApi({
      RATE_LIMIT: "0",
      REQUEST_TIMEOUT: `${patienceMs}ms`,
      IDLE_TIMEOUT: `${patienceMs}ms`,
      // The test measures the cost of malicious requests, not the load of the machine.
      LEDGER_TIMEOUT: "20s",
      RENDER_TIMEOUT: "30s",
    }),
    start("renderer", {}),
  ]);
  const account = await openAccount(store, "malicious");
  const bystander = await openAccount(store, "bystander");
  const parts = running = opened.move();
  return {
    port,
    patienceMs,
    account,
    bystander,
    errors,
    rss: () => memoryOf(api, "VmRSS"),
    peakBytes: () => memoryOf(api, "VmHWM"),
    async liveBytes() {
      const reported = once(reports, "live");
      api.signal("SIGUSR2");
      return (await reported)[0];
    },
    async cpuMs() {
      const fields = (await statusOf(api, "stat")).split(") ")[1]?.split(" ") ?? [];
      return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
    },
    startApi: async (settings) => (await startApi(settings)).port,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

function openAccount(store: Store, run: string): Promise<RunAccount> {
  const sink = { sinkPort: 25, connections: 1, whenUnknown: "hold", user: undefined } as const;
  return makeAccount(store, { run, ...sink });
}

/** Returns a line of the process's memory, in bytes: `VmRSS` in RAM now, `VmHWM` at most so far. */
async function memoryOf(service: ServiceProcess, name: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await statusOf(service, "status");
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]);
}

async function statusOf({ pid }: ServiceProcess, file: string): Promise<string> {
  return await readFile(`/proc/${pid}/${file}`, "utf8");
}

/** Returns the smallest body of a send that is accepted. */
export function goodSend(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    from: { email: SENDER },
    to: [{ email: "jane@example.net" }],
    variables: { n: 1 },
    ...more,
  };
}
