import process from "node:process";

/** Options of `watchSignals()`. */
export interface SignalOptions {
  /** Its reader may be gone, and with it the person who would stop the program. */
  output: NodeJS.EventEmitter;
  /** Called once, before the returned signal is aborted. */
  onStop(): void;
  /** Called when the signal is repeated. */
  onRepeat(): void;
}

/** A terminal sends Ctrl-C to every process, and npm passes it on: signals within this time are one. */
const SAME_PRESS_MS = 500;

/** Turns the signals that stop a program, and the end of its reader, into an abort signal. */
export function watchSignals({ output, onStop, onRepeat }: SignalOptions): AbortSignal {
  const controller = new AbortController();
  let lastAt = 0;
  const stop = (reason: string) => {
    if (controller.signal.aborted) return;
    onStop();
    controller.abort(new DOMException(`Stopped ${reason}`, "AbortError"));
  };
  output.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") stop("because the output was closed");
  });
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      const now = performance.now();
      const isSame = lastAt > 0 && now - lastAt < SAME_PRESS_MS;
      lastAt = now;
      if (!controller.signal.aborted) stop(`by ${name}`);
      else if (!isSame && name === "SIGINT") onRepeat();
    });
  }
  return controller.signal;
}
