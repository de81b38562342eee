import { buildDashboard } from "@posthaste/dev";
import { openSharedSystem } from "@posthaste/e2e";
import { openTestMongod } from "@posthaste/kit";
import { isPure } from "./needs.ts";
import type { PlannedFile } from "./schedule.ts";

/** The servers that all test files share. Disposing stops them. */
export interface Resources extends AsyncDisposable {
  /** Whether the database runs and the dashboard is built. */
  readonly isPrepared: boolean;
  /** Whether the shared system runs. */
  readonly hasSystem: boolean;
  /** Variables through which the processes of test files find them. */
  readonly env: Readonly<Record<string, string>>;
  /** Resolves when more is ready; rejects if something does not start. */
  readonly changed: Promise<void>;
  /** Stops the shared system. No remaining file may need it. A failure is reported on disposing. */
  stopSystem(): void;
}

/** Starts the servers that some of the files need, in the background. */
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
  // Callers that wait for one of them get the error.
  complete.catch(() => {});

  async function prepare(): Promise<void> {
    const [mongod] = await Promise.all([
      openTestMongod({ onProgress }).then((server) => opened.use(server)),
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
      // The caller that disposes of this gets the error.
      stopped.catch(() => {});
    },
    async [Symbol.asyncDispose]() {
      await complete.catch(() => {});
      await opened.disposeAsync();
    },
  };
}
