import { setTimeout as delay } from "node:timers/promises";
import type { ServiceName } from "@posthaste/dev";
import type { Chaos, Fault } from "./fault.ts";
import { FIRST_LOOK_MS } from "../records/time_bound.ts";
import { countStates } from "../records/read_records.ts";
import { OUTLASTING } from "../fixture/open_fixture.ts";
import type { Way } from "../fixture/fixture.ts";

/** Faults of the connections of services to the broker and to the database, one service at a time. */
export const NETWORK: Fault[] = [
  {
    name: "net-reset",
    description: "All connections of a service to the broker or the database are reset",
    proxied: true,
    settings: OUTLASTING,
    async run(chaos) {
      while (await chaos.pause(chaos.random.integer(100, 1000))) {
        const way = pickWay(chaos);
        way.proxy.reset();
        note(chaos, way, "reset");
      }
    },
  },
  {
    name: "net-stall",
    description:
      "A service hears nothing of the broker or the database for seconds, then everything together",
    proxied: true,
    settings: OUTLASTING,
    run: (chaos) =>
      cutWays(chaos, ({ proxy }) => {
        proxy.stall();
        return "stall";
      }),
  },
  {
    name: "net-partition",
    description:
      "What a service and the broker or the database send each other is lost for seconds",
    proxied: true,
    settings: OUTLASTING,
    run: (chaos) =>
      cutWays(chaos, ({ proxy }) => {
        proxy.blackhole();
        return "partition";
      }),
  },
];

/** Cuts one way after the other, each for longer than a publish or a request waits. */
async function cutWays(chaos: Chaos, cut: (way: Way) => string): Promise<void> {
  // At least once, even if the client is done early.
  do {
    const way = pickWay(chaos);
    note(chaos, way, cut(way));
    await delay(chaos.random.integer(1000, 7000));
    way.proxy.pass();
  } while (await chaos.pause(chaos.random.integer(300, 2000)));
}

/** The way of the printer to the database does not count: it has none. */
function pickWay({ fixture, random }: Chaos): Way {
  return random.pick(fixture.ways.filter(({ role, to }) => role !== "pdf" || to === "broker"));
}

function note({ count }: Chaos, { role, to }: Way, what: string): void {
  count("other", `${what} ${role}-${to}`);
}

/** By then the time of a register is long over, and a tracker has examined its send. */
const OVER_MS = FIRST_LOOK_MS + 2000;

/** The mailer has the server's reply, but another outcome is written to the ledger first. */
export const LATE_SUCCESS: Fault = {
  name: "late-success",
  description:
    "The server takes a mail, and the mailer reports it only after the ledger says unknown",
  proxied: true,
  whenUnknown: "hold",
  // Then several mails are at the server when the way is cut, even of a slow stream.
  thinksMs: 600,
  async run(chaos) {
    const { fixture: { mongo }, account: { accountId } } = chaos;
    const way = wayOf(chaos, "mailer", "database");
    let unknown = 0;
    // Then some mails are at the server.
    await chaos.pause(chaos.random.integer(1000, 2000));
    do {
      way.proxy.stall();
      note(chaos, way, "stall");
      await delay(OVER_MS + chaos.random.integer(0, 2000));
      unknown += (await countStates(mongo, accountId))["unknown"] ?? 0;
      way.proxy.pass();
    } while (await chaos.pause(chaos.random.integer(500, 2000)));
    if (unknown === 0) chaos.blame("I0", "No mail was called unknown: nothing is tested");
    // Time for the mailers to report what they know.
    await delay(SAID_MS);
  },
};

const SAID_MS = 5000;

function wayOf({ fixture }: Chaos, role: ServiceName, to: Way["to"]): Way {
  const way = fixture.ways.find((way) => way.role === role && way.to === to);
  if (way !== undefined) return way;
  throw new Error("Cannot do this fault: the ways of the services cannot be cut");
}
