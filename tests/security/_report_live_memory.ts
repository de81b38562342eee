// Preloaded into the target of an attack (`node --expose-gc --import`): at SIGUSR2 it collects all garbage and
// prints how many bytes are still in use, in a line `{"liveBytes":…}`.
import process from "node:process";
import { setImmediate as nextTurn } from "node:timers/promises";

/** Buffers are freed beside the program, at the latest during the next collection. */
const COLLECTIONS = 2;

process.on("SIGUSR2", async () => {
  for (let n = 0; n < COLLECTIONS; n++) {
    globalThis.gc?.();
    await nextTurn();
  }
  const { heapUsed, external } = process.memoryUsage();
  process.stdout.write(`${JSON.stringify({ liveBytes: heapUsed + external })}\n`);
});
