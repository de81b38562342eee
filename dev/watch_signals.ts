import process from "node:process";

/** What to do about signals. */
export interface SignalOptions {
  /** Called once, before the returned signal is aborted. */
  onStop(): void;
  /** Somebody cannot wait. */
  onRepeat(): void;
}

/** A terminal sends Ctrl-C to everybody, and npm passes it on: signals this near are one. */
const SAME_PRESS_MS = 500;

/** Turns the signals that stop a program into an abort signal. */
export function watchSignals({ onStop, onRepeat }: SignalOptions): AbortSignal {
  const controller = new AbortController();
  let lastAt = 0;
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(name, () => {
      const now = performance.now();
      const isSame = lastAt > 0 && now - lastAt < SAME_PRESS_MS;
      lastAt = now;
      if (!controller.signal.aborted) {
        onStop();
        controller.abort(new DOMException(`Stopped by ${name}`, "AbortError"));
      } else if (!isSame && name === "SIGINT") onRepeat();
    });
  }
  return controller.signal;
}
