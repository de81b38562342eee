import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Fault } from "../fault.ts";
import { quickenTopology } from "../rig.ts";

/** What befalls the broker. */
export const BROKER: Fault[] = [
  {
    name: "broker-kill",
    description: "SIGKILL of the broker every few seconds; its store stays",
    async run({ rig, random, pause, count }) {
      while (await pause(random.integer(500, 2500))) {
        await rig.nats.kill();
        count("crash", "nats");
        await delay(random.integer(0, 1500));
        await rig.nats.restart();
      }
    },
  },
  {
    name: "broker-pause",
    description: "The broker is stopped for seconds, longer than a publish waits",
    async run({ rig, random, pause, count }) {
      while (await pause(random.integer(500, 2500))) {
        rig.nats.signal("SIGSTOP");
        count("other", "nats");
        await delay(random.integer(2000, 8000));
        rig.nats.signal("SIGCONT");
      }
    },
  },
  {
    name: "broker-wipe",
    description: "SIGKILL of the broker, and everything that it stores is deleted",
    async run({ rig, random, pause, count }) {
      while (await pause(random.integer(1000, 3000))) {
        await rig.nats.kill();
        count("crash", "nats");
        await rm(join(rig.natsDir, "jetstream"), { recursive: true, force: true });
        await rig.nats.restart();
        await quickenTopology(rig.nats.url);
      }
    },
  },
];
