import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { OUTLASTING } from "../fixture/open_fixture.ts";
import { NotPossibleError } from "../fixture/small_disk.ts";
import { type Chaos, type Fault, singleOf } from "./fault.ts";

/** Faults of the database's disk. */
export const DATABASE_DISK: Fault[] = [
  {
    name: "mongod-full",
    description: "The disk of the database is full for seconds; it is started again if it ends",
    databaseDisk: 700,
    settings: OUTLASTING,
    weight: 2,
    async run(chaos) {
      const { random, count, pause } = chaos;
      const { mongod, databaseDisk } = singleOf(chaos);
      if (databaseDisk === undefined) throw new Error("The database has no disk of its own");
      do {
        count("other", "full");
        const until = performance.now() + random.integer(1000, 6000);
        // Space that the database frees must not help it.
        for (; performance.now() < until; await delay(50)) await databaseDisk.fill();
        await databaseDisk.free();
        if (!hasEnded(chaos)) continue;
        count("crash", "mongod");
        await mongod.restart();
      } while (await pause(random.integer(1000, 3000)));
    },
  },
  {
    name: "mongod-slow",
    description:
      "Each time that the database has its disk write down what it holds takes 0.3 s longer",
    settings: OUTLASTING,
    async run(chaos) {
      const { random, count, pause } = chaos;
      const { mongod } = singleOf(chaos);
      do {
        const slowness = await slowDown(mongod.pid);
        count("other", "slow");
        await delay(random.integer(2000, 6000));
        await end(slowness);
      } while (await pause(random.integer(500, 2000)));
    },
  },
];

/** Returns whether the database has ended by itself since the last call: a full disk allows it. */
function hasEnded({ fixture: { deaths } }: Chaos): boolean {
  const at = deaths.findIndex((death) => death.startsWith("mongodb"));
  if (at >= 0) deaths.splice(at, 1);
  return at >= 0;
}

const SLOW_US = 300_000;

/** @throws {NotPossibleError} If this machine does not permit tracing the database. */
async function slowDown(pid: number): Promise<ChildProcess> {
  const calls = "fsync,fdatasync";
  const args = ["-f", "-e", `trace=${calls}`, "-e", `inject=${calls}:delay_exit=${SLOW_US}`];
  const tracer = spawn("strace", [...args, "-o", "/dev/null", "-p", String(pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const begun = await Promise.race([
    once(tracer.stderr, "data").then(String),
    once(tracer, "error").then(String, String),
  ]).catch(String);
  if (begun.includes("attached")) return tracer;
  throw new NotPossibleError(`Cannot slow the disk of the database here: ${begun.trim()}`);
}

async function end(tracer: ChildProcess): Promise<void> {
  const exited = once(tracer, "exit");
  tracer.kill("SIGTERM");
  await exited;
}
