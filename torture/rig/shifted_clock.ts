import { fileURLToPath } from "node:url";
import type { Settings } from "./pods.ts";

/** Settings of a process whose clock is so many milliseconds ahead of this machine's, or behind. */
export function shiftedClock(ms: number): Settings {
  const module = fileURLToPath(new URL("./shift_clock.ts", import.meta.url));
  return { NODE_OPTIONS: `--import ${module}`, CLOCK_SHIFT_MS: String(ms) };
}
