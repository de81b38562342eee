// A program for a test: works on events until one comes that ends it, as a bad document would.
import { flushCompileCache } from "node:module";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { openBus } from "./bus.ts";
import type { Step } from "./step.ts";

// By itself Node writes it when a process exits: this one is killed.
flushCompileCache();
const [url = ""] = process.argv.slice(2);
const bus = await openBus({ url, name: "crashing" });
const say = (line: string) => process.stdout.write(`${line}\n`);

const step: Step<"send.requested"> = {
  name: "test.crash",
  async handle({ data }) {
    await delay(5);
    if (data.accountId === "poison") process.kill(process.pid, "SIGKILL");
    await delay(20);
    say(`done ${data.accountId}`);
    return { type: "done", publish: [] };
  },
  giveUp: ({ data }) => {
    say(`given up ${data.accountId}`);
    return { publish: [] };
  },
};

await bus.consume(step, {
  consumer: "renderer_transactional",
  concurrency: 32,
  signal: new AbortController().signal,
  logger: { warn() {}, error() {}, info() {}, debug() {} } as never,
});
