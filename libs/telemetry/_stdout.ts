import sonicBoom from "sonic-boom";

/** Where log lines go. */
export interface Stdout {
  write(line: string): void;
  flush(): Promise<void>;
  flushSync(): void;
}

const MAX_BUFFERED = 16 * 1024 * 1024;
const FLUSH_TIMEOUT = 1000;

let shared: Stdout | undefined;

/**
 * Returns the process's one writer of the standard output, which writes from a thread of its own:
 * two writers would tear each other's lines.
 */
export function openStdout(): Stdout {
  shared ??= createStdout();
  return shared;
}

function createStdout(): Stdout {
  const boom = new sonicBoom.SonicBoom({ fd: 1, sync: false, maxLength: MAX_BUFFERED });
  // The reader is gone: there is nobody left to tell.
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
