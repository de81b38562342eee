import { setTimeout as delay } from "node:timers/promises";
import { type Fault, threeOf } from "./fault.ts";
import { OUTLASTING } from "../fixture/open_fixture.ts";

const STREAMS = ["RENDER", "MAIL", "PRINT", "STATUS"];
const MEMBER_BACK_MS = 2000;

/** Faults of members of a cluster while the others stay. */
export const THREE: Fault[] = [
  {
    name: "cluster-leader",
    description: "The broker that leads a stream of three is killed every ten seconds",
    three: true,
    weight: 2,
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { cluster } = threeOf(chaos);
      while (await pause(random.integer(2000, 4000))) {
        const leader = await cluster.streamLeader(random.pick(STREAMS));
        if (leader === undefined) continue;
        await leader.kill();
        count("crash", `nats ${leader.name}`);
        await delay(MEMBER_BACK_MS);
        await leader.restart();
        await delay(MEMBER_BACK_MS);
      }
      await cluster.settled();
    },
  },
  {
    name: "primary-step-down",
    description: "The primary of three databases steps down, or is killed",
    settings: OUTLASTING,
    three: true,
    weight: 2,
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { mongods } = threeOf(chaos);
      while (await pause(random.integer(2000, 5000))) {
        if (random.chance(0.5)) {
          await mongods.stepDown();
          count("other", "step down");
          continue;
        }
        const primary = await mongods.primary();
        await primary.kill();
        count("crash", "mongod primary");
        await mongods.primary();
        await delay(MEMBER_BACK_MS);
        await primary.restart();
      }
    },
  },
  {
    name: "primary-mid-write",
    description:
      "The primary is lost in the middle of groups of writes that no other database has yet",
    settings: OUTLASTING,
    three: true,
    weight: 2,
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { mongods } = threeOf(chaos);
      while (await pause(random.integer(1500, 4000))) {
        const primary = await mongods.primary();
        const others = mongods.members.filter(({ port }) => port !== primary.port);
        for (const other of others) other.signal("SIGSTOP");
        // Writes from now on are on the primary, and not on a majority.
        await delay(random.integer(100, 800));
        await primary.kill();
        count("crash", "mongod primary");
        // Data on its way to them is lost with them; otherwise they would read it when they wake up.
        await Promise.all(others.map(async (other) => {
          await other.kill();
          await other.restart();
        }));
        await mongods.primary();
        await delay(MEMBER_BACK_MS);
        // It rolls back the writes that only it has.
        await primary.restart();
      }
    },
  },
];
