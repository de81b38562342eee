import sonicBoom from "sonic-boom";

/** The destination of log lines. */
export interface Stdout {
  write(line: string): void;
  flush(): Promise<void>;
  flushSync(): void;
}

const MAX_BUFFERED = 16 * 1024 * 1024;
const FLUSH_TIMEOUT = 1000;

let shared: Stdout | undefined;

/**
 * Returns the only writer of the process's standard output, which writes from its own thread. Two writers
 * would interleave their lines.
 */
export function openStdout(): Stdout {
  shared ??= createStdout();
  return shared;
}

function createStdout(): Stdout {
  const boom = new sonicBoom.SonicBoom({ fd: 1, sync: false, maxLength: MAX_BUFFERED });
  // The reader is gone, so the error has no destination.
  boom.on("error", () => {});
  return {
    write: (line) => {
      boom.write(line);
    },
    flush: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, FLUSH_TIMEOUT);
        boom.flush(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
    flushSync: () => {
      try {
        boom.flushSync();
      } catch {
        // Nothing was buffered, or the reader is gone.
      }
    },
  };
}
