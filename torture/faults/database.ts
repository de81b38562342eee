import { setTimeout as delay } from "node:timers/promises";
import type { Fault } from "../fault.ts";

/** What befalls the database. */
export const DATABASE: Fault[] = [
  {
    name: "mongod-kill",
    description: "SIGKILL of the database every few seconds",
    async run({ rig, random, pause, count }) {
      while (await pause(random.integer(500, 3000))) {
        await rig.mongod.kill();
        count("crash", "mongod");
        await delay(random.integer(0, 1500));
        await rig.mongod.restart();
      }
    },
  },
  {
    name: "mongod-pause",
    description: "The database is stopped for seconds, longer than a request waits",
    async run({ rig, random, pause, count }) {
      while (await pause(random.integer(500, 2500))) {
        rig.mongod.signal("SIGSTOP");
        count("other", "mongod");
        await delay(random.integer(1000, 6000));
        rig.mongod.signal("SIGCONT");
      }
    },
  },
  {
    name: "mongod-stop",
    description: "The database is away for 10 s while mail is in flight",
    async run({ rig, random, pause, count }) {
      while (await pause(random.integer(1500, 4000))) {
        await rig.mongod.kill();
        count("crash", "mongod");
        await delay(10_000);
        await rig.mongod.restart();
      }
    },
  },
];
