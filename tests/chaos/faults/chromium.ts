import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { type Descendant, descendants } from "../fixture/descendants.ts";
import type { Chaos, Fault } from "./fault.ts";
import type { Mix } from "../load/orders.ts";
import { readBrokerLedger } from "../records/read_records.ts";

const MUCH_TO_PRINT: Mix = { sharedPdf: 0.1, ownPdf: 0.3, bulk: 0 };

/** Time limit of a PDF, instead of 30 s; four times as long if the browser is idle. */
const PRINT_MS = 1000;

/** How long the pdf service waits for a browser that hangs while it starts. */
const LAUNCH_MS = 20_000;

/** Time within which a print must notice, on a busy machine. */
const NOTICED_MS = LAUNCH_MS + 16_000;

/** Faults of the browser while it prints. */
export const CHROMIUM: Fault[] = [
  {
    name: "chromium-kill",
    description: "SIGKILL of Chromium, or of one of its processes, mid-print",
    // The pages of a killed zygote hang, and a browser that is idle gets four times the limit.
    settings: { pdf: { PRINT_TIME_LIMIT: "10s" } },
    mix: MUCH_TO_PRINT,
    async run(chaos) {
      const { random, pause, count } = chaos;
      while (await pause(random.integer(200, 1200))) {
        const { browsers, others } = await belowPdf(chaos);
        if (browsers.length === 0) continue;
        // The browsers as often as all their child processes together.
        const { pid } = random.pick(random.chance(0.5) ? browsers : [...browsers, ...others]);
        if (send(pid, "SIGKILL")) count("crash", "chromium");
      }
    },
  },
  {
    name: "chromium-hang",
    description: "SIGSTOP of Chromium, or of one of its renderers, mid-print, and nobody wakes it",
    settings: { pdf: { PRINT_TIME_LIMIT: `${PRINT_MS}ms` } },
    mix: MUCH_TO_PRINT,
    // A browser that hangs is waited for.
    weight: 2,
    // A page that hangs twice while the other pages of both browsers print counts as endless.
    mayFail:
      /^A PDF could not be printed: the document (took longer than 1 s|was not done after \d+ s, in which it had 0 s of browser time .*)$/,
    async run(chaos) {
      const { random, pause, count } = chaos;
      while (await pause(random.integer(500, 2000))) {
        const { browsers, others } = await belowPdf(chaos);
        if (browsers.length === 0) continue;
        const renderers = others.filter(({ command }) => command.includes("--type=renderer"));
        const isWhole = renderers.length === 0 || random.chance(0.5);
        const { pid } = random.pick(isWhole ? browsers : renderers);
        if (!send(pid, "SIGSTOP")) continue;
        count("other", isWhole ? "browser" : "renderer");
        await untilNoticed(chaos, { pid, isWhole });
      }
      await untilPrinted(chaos);
      // A process without further prints cannot be noticed.
      for (const { pid } of await stopped(chaos)) send(pid, "SIGCONT");
    },
  },
];

/** Returns the main processes of the pdf service's browsers, and their child processes. */
async function belowPdf({ fixture }: Chaos) {
  const service = fixture.pods.running("pdf")[0];
  const all = service === undefined ? [] : await descendants(service.process.pid);
  const isBrowser = ({ command }: Descendant) => !command.includes("--type=");
  return { browsers: all.filter(isBrowser), others: all.filter((one) => !isBrowser(one)) };
}

async function stopped(chaos: Chaos): Promise<Descendant[]> {
  const { browsers, others } = await belowPdf(chaos);
  return [...browsers, ...others].filter(({ state }) => state === "T");
}

/**
 * Waits until a stopped process is ended, or the run is over. A renderer may be a spare one, which stays
 * stopped until it is needed.
 */
async function untilNoticed(
  chaos: Chaos,
  { pid, isWhole }: { pid: number; isWhole: boolean },
): Promise<void> {
  const deadline = performance.now() + NOTICED_MS;
  while ((await stopped(chaos)).some((one) => one.pid === pid) && await chaos.pause(100)) {
    if (performance.now() < deadline) continue;
    if (isWhole) unnoticed(chaos);
    return;
  }
}

/**
 * Waits until all is printed, unless a process that hangs prevents it. While mail arrives, the scheduler hands
 * out more, and the streams may grow.
 */
async function untilPrinted(chaos: Chaos): Promise<void> {
  let [fewest, most, deadline] = [Infinity, -1, 0];
  for (;; await delay(100)) {
    const { streams: { RENDER = 0, PRINT = 0 } } = await readBrokerLedger(
      chaos.fixture.natsUrl,
    );
    const left = RENDER + PRINT;
    if (left === 0) return;
    const taken = await chaos.taken();
    if (left < fewest || taken > most) deadline = performance.now() + NOTICED_MS;
    [fewest, most] = [Math.min(left, fewest), Math.max(taken, most)];
    if (performance.now() > deadline) return unnoticed(chaos);
  }
}

function unnoticed({ blame }: Chaos): void {
  blame("I6", `A browser hangs for ${NOTICED_MS} ms and nobody ends it`);
}

/** Sends a signal. Returns whether the process existed. */
function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    // It has ended by itself.
    return false;
  }
}
