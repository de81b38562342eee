import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { brokerDiskOf, type Fault, singleOf } from "./fault.ts";
import { quickenTopology } from "../fixture/open_fixture.ts";

/** Faults of the broker. */
export const BROKER: Fault[] = [
  {
    name: "broker-kill",
    description: "SIGKILL of the broker every few seconds; its store stays",
    backlog: 0.4,
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { nats } = singleOf(chaos);
      while (await pause(random.integer(500, 2500))) {
        await nats.kill();
        count("crash", "nats");
        await delay(random.integer(0, 1500));
        await nats.restart();
      }
    },
  },
  {
    name: "broker-pause",
    description: "The broker is stopped for seconds, longer than a publish waits",
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { nats } = singleOf(chaos);
      while (await pause(random.integer(500, 2500))) {
        nats.signal("SIGSTOP");
        count("other", "nats");
        await delay(random.integer(2000, 8000));
        nats.signal("SIGCONT");
      }
    },
  },
  {
    name: "broker-wipe",
    description: "SIGKILL of the broker, and everything that it stores is deleted",
    backlog: 0.4,
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { nats, natsDir } = singleOf(chaos);
      while (await pause(random.integer(1000, 3000))) {
        await nats.kill();
        count("crash", "nats");
        await rm(join(natsDir, "jetstream"), { recursive: true, force: true });
        await nats.restart();
        await quickenTopology(nats.url);
      }
    },
  },
  {
    name: "broker-full",
    description: "The broker's disk is full for seconds, and has room again",
    brokerDisk: 128,
    weight: 2,
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { nats } = singleOf(chaos);
      const disk = brokerDiskOf(chaos);
      while (await pause(random.integer(1000, 3000))) {
        const until = performance.now() + random.integer(1000, 6000);
        count("other", "full");
        // Space that the broker frees must not help it.
        for (; performance.now() < until; await delay(50)) await disk.fill();
        await disk.free();
        // A broker that has given up its streams meanwhile needs a restart, which loses no data.
        if (!await disk.isHealthy()) {
          count("other", "restart");
          await nats.restart();
        }
      }
    },
  },
];
