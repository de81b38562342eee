import { setTimeout as sleep } from "node:timers/promises";
import { isPortTaken } from "./_start_failure.ts";
import type { Exit, Supervised } from "./_supervised.ts";

/** A real server on this machine that this process started. Disposing stops it. */
export interface RunningServer extends AsyncDisposable {
  /** The address for clients; the same after a restart. */
  readonly url: string;
  readonly port: number;
  /** Process id; another one after a restart. */
  readonly pid: number;
  /** Sends a signal, for example `SIGSTOP` to make the server hang. */
  signal(name: NodeJS.Signals): void;
  /** Ends the server immediately (SIGKILL), as a crash would; returns when it has ended. */
  kill(): Promise<void>;
  /** Starts the server again on the same port and data, after stopping it if it still runs. */
  restart(): Promise<void>;
}

/** How a kind of server is restarted. */
export interface RestartableOptions {
  url: string;
  port: number;
  start: () => Promise<Supervised>;
  /** Called when the server ends without a request from this process. */
  onUnexpectedExit?: ((exit: Exit) => void) | undefined;
}

const START_TRIES = 10;
const PAUSE_MS = 200;

/**
 * Starts a server, and retries a port in use: a program that searches for a free port occupies it for a
 * moment.
 */
async function startAgain(start: () => Promise<Supervised>): Promise<Supervised> {
  for (let tries = 1;; tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries === START_TRIES || !isPortTaken(error)) throw error;
      await sleep(PAUSE_MS);
    }
  }
}

/** Makes a {@link RunningServer} of a process that was just started. */
export function restartable(first: Supervised, options: RestartableOptions): RunningServer {
  let current = watch(first);
  let isWanted = true;

  function watch(process: Supervised): Supervised {
    process.exited.then((exit) => {
      if (process === current && isWanted) options.onUnexpectedExit?.(exit);
    });
    return process;
  }
  async function stop(): Promise<void> {
    isWanted = false;
    await current.stop();
  }
  return {
    url: options.url,
    port: options.port,
    get pid() {
      return current.pid;
    },
    signal: (name) => current.signal(name),
    async kill() {
      isWanted = false;
      current.signal("SIGKILL");
      await current.exited;
    },
    async restart() {
      await stop();
      current = watch(await startAgain(options.start));
      isWanted = true;
    },
    [Symbol.asyncDispose]: stop,
  };
}
