import { setTimeout as delay } from "node:timers/promises";
import { type Fault, memberWaysOf, threeOf } from "./fault.ts";
import { OUTLASTING } from "../fixture/open_fixture.ts";

const STREAMS = ["RENDER", "MAIL", "PRINT", "STATUS"];
const MEMBER_BACK_MS = 2000;

/** Two of three brokers have elected another leader by then: they wait 4 to 9 s for news of the old one. */
const ELECTED_MS = 15_000;

/** Two of three databases elect another primary 2 s after the last news of it. */
const LONG_CUT_MS = 8000;

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
    name: "cluster-partition",
    description: "What a broker that leads a stream and the other two send each other is lost",
    three: true,
    proxied: true,
    weight: 2,
    async run(chaos) {
      const { random, pause, count, blame } = chaos;
      const { cluster } = threeOf(chaos);
      let replaced = 0;
      // At least once, even if the client is done early.
      do {
        const stream = random.pick(STREAMS);
        const leader = await cluster.streamLeader(stream);
        if (leader === undefined) continue;
        {
          using _cut = memberWaysOf(chaos).isolateBroker(leader.name);
          count("other", `partition nats ${leader.name}`);
          await delay(replaced === 0 ? ELECTED_MS : random.integer(1000, ELECTED_MS));
          const next = await cluster.streamLeader(stream, { not: leader });
          if (next !== undefined) replaced++;
        }
        await cluster.settled();
      } while (await pause(random.integer(2000, 4000)));
      if (replaced === 0) blame("I0", "No broker was replaced as leader: nothing is tested");
    },
  },
  {
    name: "primary-partition",
    description: "Nobody reaches the primary of three databases, and it still reaches the others",
    settings: OUTLASTING,
    three: true,
    proxied: true,
    weight: 2,
    async run(chaos) {
      const { random, pause, count, blame } = chaos;
      const { mongods } = threeOf(chaos);
      let replaced = 0;
      do {
        const primary = await mongods.primary();
        using _cut = memberWaysOf(chaos).isolateDatabase(primary.port);
        count("other", "partition mongod primary");
        await delay(replaced === 0 ? LONG_CUT_MS : random.integer(500, LONG_CUT_MS));
        if (await mongods.primary() !== primary) replaced++;
      } while (await pause(random.integer(2000, 4000)));
      if (replaced === 0) blame("I0", "No primary was replaced: nothing is tested");
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
