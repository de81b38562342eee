import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { buildDashboard } from "@posthaste/dev";
import { openSharedSystem } from "@posthaste/e2e";
import { openMongod } from "@posthaste/embedded";
import { isPure } from "./needs.ts";
import type { PlannedFile } from "./schedule.ts";

/** What is started once for all test files. Disposing stops it. */
export interface Resources extends AsyncDisposable {
  /** Whether the database runs and the dashboard is built. */
  readonly isPrepared: boolean;
  /** Whether the shared system runs. */
  readonly hasSystem: boolean;
  /** What the processes of test files have in their environment to find them. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when more is there; fails if something does not start. */
  readonly changed: Promise<void>;
  /** Stops the shared system, which no file that is still to run may need. A failure shows on disposing. */
  stopSystem(): void;
}

/** Starts what some of the files need, in the background. */
export function openResources(files: readonly PlannedFile[], { root, signal, onProgress }: {
  root: string;
  signal: AbortSignal;
  onProgress: (line: string) => void;
}): Resources {
  const opened = new AsyncDisposableStack();
  const system = opened.use(new AsyncDisposableStack());
  const env: Record<string, string> = {};
  const needsAny = files.some(({ needs }) => !isPure(needs));
  const needsSystem = files.some(({ needs }) => needs.sharedSystem);
  let isPrepared = !needsAny;
  let hasSystem = !needsSystem;
  let stopped: Promise<void> | undefined;
  const prepared = needsAny ? prepare() : Promise.resolve();
  const complete = needsSystem ? prepared.then(startSystem) : prepared;
  // Who waits for one of them learns of it.
  complete.catch(() => {});

  async function prepare(): Promise<void> {
    const [mongod] = await Promise.all([
      openMongod({
        env: process.env,
        dataDir: await mkdtemp(join(tmpdir(), "posthaste-test-")),
        isTemporary: true,
        onProgress,
      }).then((server) => opened.use(server)),
      buildDashboard({ root, signal, onProgress }),
    ]);
    env["POSTHASTE_TEST_MONGODB_URL"] = mongod.url;
    isPrepared = true;
  }

  async function startSystem(): Promise<void> {
    signal.throwIfAborted();
    Object.assign(env, system.use(await openSharedSystem()).env);
    hasSystem = true;
  }

  return {
    get isPrepared() {
      return isPrepared;
    },
    get hasSystem() {
      return hasSystem;
    },
    env,
    get changed() {
      return isPrepared ? complete : prepared;
    },
    stopSystem() {
      if (stopped === undefined) opened.defer(() => stopped);
      stopped ??= system.disposeAsync();
      // Whoever disposes of this learns of it.
      stopped.catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      await complete.catch(() => {});
      await opened.disposeAsync();
    },
  };
}
