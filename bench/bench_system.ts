import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { openStack, type Stack } from "@posthaste/dev/stack";
import { openStore, readMasterKeys, sealingKeyOf } from "@posthaste/storage";
import { MongoClient } from "mongodb";
import { type AccountPlan, addWebhook, type BenchAccount, fillAccount } from "./bench_account.ts";
import { cpuBetween, type CpuRoot, type CpuTimes, readCpu, totalCpu } from "./process_cpu.ts";
import { CONNECTIONS } from "./workload.ts";

/** The whole system with an account whose mail goes to the sink. */
export interface BenchSystem extends BenchAccount, AsyncDisposable {
  readonly stack: Stack;
  readonly renderUrl: string;
  /** The parts of the mail as published. */
  readonly mail: { subject: string; html: string; text: string };
  readonly invoice: string;
  /** Lines of warning that the services printed. */
  readonly warnings: string[];
  /** Adds an account. */
  addAccount(plan: AccountPlan): Promise<BenchAccount>;
  /** Ends the services immediately, with any work in flight. */
  kill(): void;
  /** CPU time so far, by part of the system. */
  cpu(): CpuTimes;
  /** Waits until nothing is worked on, at most 10 s. */
  untilQuiet(): Promise<void>;
  /** Settles all finished sends now, through the reconciler, instead of 30 s after they arrived. */
  reconcile(): Promise<void>;
  /** The browser that the pdf service has started. */
  browser(): { executablePath: string; env: Record<string, string> };
}

/** How to start the system. */
export interface BenchSystemOptions {
  env: Record<string, string | undefined>;
  dataDir: string;
  sinkPort: number;
  profileDir: string | undefined;
  /** Whether an account that floods single requests leaves transactional priority. @default {false} */
  withBudgets?: boolean;
  onProgress(line: string): void;
}

/** Starts the system, with its limits out of the way, and fills it. */
export async function openBenchSystem(options: BenchSystemOptions): Promise<BenchSystem> {
  const { dataDir, onProgress, profileDir } = options;
  const warnings: string[] = [];
  await using opened = new AsyncDisposableStack();
  const stack = opened.use(
    await openStack({
      env: options.env,
      profileDir,
      dataDir,
      isTemporary: true,
      // Without observers, so that the measured system has the machine for itself.
      dashboard: false,
      webhooks: true,
      onProgress,
      settings: {
        api: {
          RATE_LIMIT: "0",
          MAX_RECIPIENTS: "1000",
          ...(options.withBudgets ? {} : { TRANSACTIONAL_RATE: "0" }),
        },
      },
      onLine: (service, line) => {
        if (/"(warn|error|fatal)"/i.test(line)) warnings.push(`${service}: ${line}`);
      },
      onUnexpectedExit: (part, reason) => warnings.push(`${part} ended: ${reason}`),
    }),
  );
  const store = opened.use(await openStore({ url: stack.mongodbUrl, appName: "bench" }));
  const client = new MongoClient(stack.mongodbUrl);
  opened.defer(() => client.close());
  const sends = client.db("posthaste").collection("sends");
  const accountOf = async (plan: AccountPlan) => {
    const { accountId, integrationIds, integrationId: _first, ...account } = await fillAccount(
      store,
      plan,
    );
    if (plan.webhookUrl !== undefined) {
      const key = sealingKeyOf(readMasterKeys(stack.webhookKey));
      await addWebhook(store, { accountId, url: plan.webhookUrl, key });
    }
    const sendUrls = integrationIds.map((id) => `${stack.apiUrl}/templates/order/send/${id}`);
    return { ...account, sendUrl: sendUrls[0] ?? "", sendUrls };
  };
  const filled = await accountOf({
    ...{ name: "bench", smtpPort: options.sinkPort, pages: 1, maxConnections: CONNECTIONS.usual },
  });
  const roots = rootsOf(stack);
  const quietShare = profileDir === undefined ? QUIET_SHARE : QUIET_SHARE_PROFILED;
  // A stopped process would not notice the end of its parent when this process is interrupted.
  const letGo = () => {
    for (const service of stack.services.values()) service.signal("SIGCONT");
  };
  process.once("exit", letGo);
  opened.defer(() => void process.off("exit", letGo));
  const resources = opened.move();
  return {
    stack,
    ...filled,
    renderUrl: `${stack.apiUrl}/templates/order/render`,
    warnings,
    addAccount: accountOf,
    kill() {
      for (const service of stack.services.values()) service.signal("SIGKILL");
    },
    cpu: () => readCpu(roots),
    untilQuiet: () => untilQuiet(roots, quietShare),
    async reconcile() {
      await sends.updateMany({ settledAt: null }, { $set: { reconcileAt: new Date() } });
      for (const deadline = Date.now() + 30_000; Date.now() < deadline; await delay(50)) {
        if (await sends.countDocuments({ settledAt: null }, { limit: 1 }) === 0) return;
      }
      throw new Error("Cannot measure: the reconciler did not settle all sends within 30 s");
    },
    browser: () => browserOf(stack.services.get("pdf")?.pid ?? 0),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

function rootsOf(stack: Stack): CpuRoot[] {
  const pidOf = (name: "api" | "renderer" | "pdf" | "mailer" | "tracker" | "webhooks") =>
    stack.services.get(name)?.pid ?? 0;
  return [
    { name: "api", pid: pidOf("api") },
    { name: "renderer", pid: pidOf("renderer"), descendants: "sandbox" },
    { name: "pdf", pid: pidOf("pdf"), descendants: "chromium" },
    { name: "mailer", pid: pidOf("mailer") },
    { name: "tracker", pid: pidOf("tracker") },
    { name: "webhooks", pid: pidOf("webhooks") },
    { name: "nats", pid: stack.nats?.pid ?? 0 },
    { name: "mongod", pid: stack.mongod?.pid ?? 0 },
  ];
}

const QUIET_MS = 150;
const QUIET_SHARE = 0.08;
// A profiler works all the time.
const QUIET_SHARE_PROFILED = 0.6;

/** Twice in a row the system must use less than a share of a core. */
async function untilQuiet(roots: readonly CpuRoot[], share: number): Promise<void> {
  let quiet = 0;
  for (const deadline = Date.now() + 10_000; quiet < 2 && Date.now() < deadline;) {
    const before = readCpu(roots);
    await delay(QUIET_MS);
    const used = totalCpu(cpuBetween(before, readCpu(roots)));
    quiet = used <= QUIET_MS * share ? quiet + 1 : 0;
  }
}

/** The same program with the same fonts, so that a baseline browser prints what the service prints. */
function browserOf(servicePid: number): ReturnType<BenchSystem["browser"]> {
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = textOf(`/proc/${pid}/stat`);
    const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    if (parent !== servicePid) continue;
    const entries = textOf(`/proc/${pid}/environ`).split("\0").map((entry) => entry.split("="));
    const env = Object.fromEntries(
      entries.filter(([name]) => /^(LD_LIBRARY_PATH|FONTCONFIG_FILE|HOME)$/.test(name ?? "")),
    );
    return { executablePath: readlinkSync(`/proc/${pid}/exe`), env };
  }
  throw new Error("Cannot measure a bare browser: the pdf service has not started any");
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
