import { setTimeout as delay } from "node:timers/promises";
import { type Fault, singleOf } from "./fault.ts";
import { OUTLASTING } from "../fixture/open_fixture.ts";

/** Faults of the database. */
export const DATABASE: Fault[] = [
  {
    name: "mongod-kill",
    settings: OUTLASTING,
    description: "SIGKILL of the database every few seconds",
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { mongod } = singleOf(chaos);
      while (await pause(random.integer(500, 3000))) {
        await mongod.kill();
        count("crash", "mongod");
        await delay(random.integer(0, 1500));
        await mongod.restart();
      }
    },
  },
  {
    name: "mongod-pause",
    settings: OUTLASTING,
    description: "The database is stopped for seconds, longer than a request waits",
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { mongod } = singleOf(chaos);
      while (await pause(random.integer(500, 2500))) {
        mongod.signal("SIGSTOP");
        count("other", "mongod");
        await delay(random.integer(1000, 6000));
        mongod.signal("SIGCONT");
      }
    },
  },
  {
    name: "mongod-stop",
    settings: OUTLASTING,
    description: "The database is away for 10 s while mail is in flight",
    async run(chaos) {
      const { random, pause, count } = chaos;
      const { mongod } = singleOf(chaos);
      while (await pause(random.integer(1500, 4000))) {
        await mongod.kill();
        count("crash", "mongod");
        await delay(10_000);
        await mongod.restart();
      }
    },
  },
];

const AWAY_MS = 10 * 60_000;

/** An outage longer than every wait of a mailer for a server. */
export const MONGOD_AWAY: Fault = {
  name: "mongod-away",
  settings: { mailer: { REPLY_TIMEOUT: "15m" } },
  description: "The database is away for ten minutes while mail is in flight",
  lastsMs: AWAY_MS,
  async run(chaos) {
    const { mongod } = singleOf(chaos);
    await chaos.pause(chaos.random.integer(1500, 4000));
    await mongod.kill();
    chaos.count("crash", "mongod");
    await delay(AWAY_MS);
    await mongod.restart();
  },
};
