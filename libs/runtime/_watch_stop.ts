import { Socket } from "node:net";

/** Settings of {@linkcode watchStop}. */
export interface WatchOptions {
  /** File descriptor of a pipe from the parent process. */
  parentPipe: number | undefined;
  /** Called once, when the process must stop. */
  onStop(reason: string): void;
  /** Called when somebody repeats a signal. */
  onRepeat(reason: string): void;
}

/**
 * npm passes a SIGINT on to a process that the terminal has already sent it to: repeats that come
 * this soon are one and the same.
 */
const SAME_PRESS = 500;

/** Turns SIGTERM, SIGINT and the death of the parent process into one abort signal. */
export function watchStop({ parentPipe, onStop, onRepeat }: WatchOptions): AbortSignal {
  const controller = new AbortController();
  const seen = new Map<string, number>();
  const stop = (reason: string) => {
    if (controller.signal.aborted) return;
    onStop(reason);
    controller.abort(new DOMException(`The service stops: ${reason}`, "AbortError"));
  };
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      const first = seen.get(name);
      if (first === undefined) seen.set(name, performance.now());
      else if (performance.now() - first > SAME_PRESS) onRepeat(name);
      stop(name);
    });
  }
  watchParent(parentPipe, () => stop("the parent process is gone"));
  return controller.signal;
}

function watchParent(parentPipe: number | undefined, onGone: () => void): void {
  if (process.channel) {
    process.on("disconnect", onGone);
    // Listening must not keep a finished process alive.
    process.channel.unref();
  }
  if (parentPipe === undefined) return;
  const pipe = new Socket({ fd: parentPipe, readable: true, writable: false });
  pipe.on("error", onGone);
  pipe.on("end", onGone);
  pipe.resume();
  pipe.unref();
}
