import { createHash } from "node:crypto";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { type ServiceName, type ServiceProcess, startService } from "@posthaste/dev";
import { chromiumCacheDir, freePort, userCacheDir } from "@posthaste/embedded";
import type { Interruption } from "../ledgers/ledgers.ts";
import { searchFor, type Secret } from "../ledgers/secret.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const KEY = createHash("sha256").update("the master key of the torture").digest();

/** Under which the passwords of a run are sealed. */
export const MASTER_KEY = `torture:${KEY.toString("base64")}`;

/** The same, as something to look for. */
export const MASTER_SECRET: Secret = { name: "the master key", value: KEY.toString("latin1") };

/** One process of a service. */
export interface Pod {
  readonly role: ServiceName;
  /** `mailer-2`: also what a mailer says with EHLO. */
  readonly name: string;
  readonly process: ServiceProcess;
  /** Base of the interface, of an api. */
  readonly url: string | undefined;
  state: "running" | "ending" | "ended";
}

/** More settings for one process. */
export type Settings = Record<string, string>;

/** The services, any number of processes of each. */
export interface Pods extends AsyncDisposable {
  /** Those that run, or of one service only. */
  running(role?: ServiceName): Pod[];
  /** Starts another process of a service; resolves when it is ready. */
  start(role: ServiceName, more?: Settings): Promise<Pod>;
  /** Ends a process: at once, or in order. Gives its exit code or signal. */
  end(pod: Pod, signal: "SIGKILL" | "SIGTERM"): Promise<number | string>;
  /** Stops a process for a while, as a machine that hangs. */
  freeze(pod: Pod): void;
  thaw(pod: Pod): void;
  /** What is started from now on is started from another copy of the repository. */
  use(root: string): void;
  /** Settings of a service from its next start on. */
  set(role: ServiceName, settings: Settings): void;
  /** What was done to mailers since the start. */
  readonly interruptions: Interruption[];
  /** Processes that ended by themselves. */
  readonly deaths: string[];
  /** Errors that nobody caught, out of the logs. */
  readonly uncaught: string[];
  /** Secrets that were logged, each once for each process. */
  readonly leaks: ReadonlySet<string>;
  /** From now on these may not be logged either; the master key never. */
  guard(secrets: readonly Secret[]): void;
  /** Ends expected of a process that is armed with a crash point. */
  expectDeath(pod: Pod): void;
}

/** What all services need. */
export interface PodsOptions {
  mongodbUrl: string;
  natsUrl: string;
  dataDir: string;
  settings: Partial<Record<ServiceName, Settings>>;
  /** The copy of the repository that services are started from. @default this one */
  root?: string | undefined;
  /** Called whenever another process of the interface is there or one is gone. */
  onApis(urls: string[]): void;
  onLine?(pod: string, line: string): void;
}

/** Opens a keeper of processes; none is started yet. */
export function openPods(options: PodsOptions): Pods {
  const pods: Pod[] = [];
  const counts = new Map<ServiceName, number>();
  let { root = ROOT } = options;
  const settings = new Map(Object.entries(options.settings)) as Map<ServiceName, Settings>;
  const interruptions: Interruption[] = [];
  const deaths: string[] = [];
  const uncaught: string[] = [];
  const leaks = new Set<string>();
  let guarded = [MASTER_SECRET];
  let search = searchFor(guarded);
  const expected = new Set<string>();
  const common = commonEnv(options);
  const tellApis = () =>
    options.onApis(
      pods.filter(({ role, state }) => role === "api" && state === "running")
        .map(({ url }) => `${url}`),
    );

  function note(pod: Pod, kind: Interruption["kind"]) {
    if (pod.role === "mailer") interruptions.push({ mailer: pod.name, kind, at: Date.now() });
  }

  async function start(role: ServiceName, more: Settings = {}): Promise<Pod> {
    const number = (counts.get(role) ?? 0) + 1;
    counts.set(role, number);
    const name = `${role}-${number}`;
    const port = role === "api" ? await freePort() : undefined;
    const process = await startService({
      name,
      main: join(root, "services", role, "main.ts"),
      env: {
        ...common,
        ...(port === undefined ? {} : { PORT: String(port) }),
        ...(role === "mailer" ? { EHLO_NAME: name, MASTER_KEY } : {}),
        ...settings.get(role),
        ...more,
      },
      onLine: (line) => {
        if (line.includes("nobody caught an error")) uncaught.push(`${name}: ${line}`);
        for (const leak of search(line)) leaks.add(`${name} logged ${leak}`);
        options.onLine?.(name, line);
      },
    });
    const url = port === undefined ? undefined : `http://127.0.0.1:${port}/v1`;
    const pod: Pod = { role, name, process, url, state: "running" };
    pods.push(pod);
    if (role === "api") tellApis();
    process.exited.then((reason) => {
      const wasWanted = pod.state === "running";
      pod.state = "ended";
      if (!wasWanted) return;
      note(pod, "killed");
      if (role === "api") tellApis();
      if (!expected.has(name)) deaths.push(`${name} ended with ${reason}`);
    });
    return pod;
  }

  return {
    interruptions,
    deaths,
    uncaught,
    leaks,
    guard: (secrets) => void (search = searchFor(guarded = [...guarded, ...secrets])),
    start,
    running: (role) =>
      pods.filter((pod) => pod.state === "running" && (role === undefined || pod.role === role)),
    use: (other) => void (root = other),
    set: (role, more) => void settings.set(role, more),
    expectDeath: (pod) => void expected.add(pod.name),
    async end(pod, signal) {
      if (pod.state !== "running") return await pod.process.exited;
      pod.state = "ending";
      // A balancer takes it out before it is told to stop; what is on its way there still arrives.
      if (pod.role === "api") tellApis();
      if (signal === "SIGKILL") note(pod, "killed");
      pod.process.signal(signal);
      return await pod.process.exited;
    },
    freeze(pod) {
      note(pod, "stopped");
      pod.process.signal("SIGSTOP");
    },
    thaw: (pod) => pod.process.signal("SIGCONT"),
    async [Symbol.asyncDispose]() {
      const left = pods.filter(({ state }) => state !== "ended");
      for (const pod of left) {
        pod.state = "ending";
        pod.process.signal("SIGCONT");
      }
      await Promise.all(left.map(({ process }) => process[Symbol.asyncDispose]()));
    },
  };
}

function commonEnv({ mongodbUrl, natsUrl, dataDir }: PodsOptions) {
  const { env } = process;
  return {
    ...env,
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    NODE_EXTRA_CA_CERTS: join(dataDir, "ca.pem"),
    HOST: "127.0.0.1",
    EGRESS_ALLOW: "127.0.0.1",
    RATE_LIMIT: "0",
    APPLY_TOPOLOGY: "true",
    // All that descends from a service is known by it.
    TMPDIR: join(dataDir, "tmp"),
    CACHE_DIR: chromiumCacheDir(env),
    NODE_COMPILE_CACHE: env["NODE_COMPILE_CACHE"] || join(userCacheDir(env), "compiled"),
  };
}
