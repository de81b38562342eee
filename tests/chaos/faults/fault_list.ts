import type { Fault } from "./fault.ts";
import { BROKER } from "./broker.ts";
import { CHROMIUM } from "./chromium.ts";
import { CLOCKS } from "./clocks.ts";
import { CRASHES } from "./failpoints.ts";
import { DATABASE, MONGOD_AWAY } from "./database.ts";
import { DATABASE_DISK } from "./database_disk.ts";
import { FAIL_OVER } from "./fail_over.ts";
import { KILLS } from "./kill.ts";
import { LATE_SUCCESS, NETWORK } from "./network.ts";
import { NEIGHBOUR } from "./neighbour.ts";
import { OBJECTS, OBJECTS_FULL } from "./objects.ts";
import { ROLLING, TERM_SLOW } from "./rolling.ts";
import { SMTP } from "./smtp.ts";
import { THREE } from "./three.ts";
import { KILL_WEBHOOKS } from "./webhooks.ts";
import { ZOMBIES } from "./zombie.ts";
import { ZOMBIE_WEBHOOKS } from "./zombie_webhooks.ts";

/** No fault at all: the baseline of the others. */
const CALM: Fault = { name: "calm", description: "Nothing goes wrong" };

/** Every kind of fault that the harness can inject, in this order. */
export const FAULTS: readonly Fault[] = [
  CALM,
  ...KILLS,
  KILL_WEBHOOKS,
  ROLLING,
  TERM_SLOW,
  ...ZOMBIES,
  ZOMBIE_WEBHOOKS,
  ...BROKER,
  ...DATABASE,
  ...DATABASE_DISK,
  ...THREE,
  ...NETWORK,
  LATE_SUCCESS,
  CRASHES,
  ...SMTP,
  FAIL_OVER,
  NEIGHBOUR,
  ...CHROMIUM,
  OBJECTS,
  OBJECTS_FULL,
  CLOCKS,
];

/** Faults that run only if they are named: they take too long. */
export const LONG_FAULTS: readonly Fault[] = [MONGOD_AWAY];

/**
 * Finds faults by name; a name that ends with `*` means all with this beginning.
 *
 * @throws {RangeError} If there is none of a name.
 */
export function findFaults(names: readonly string[]): Fault[] {
  const known = [...FAULTS, ...LONG_FAULTS];
  return names.flatMap((name) => {
    const found = known.filter((fault) =>
      name.endsWith("*") ? fault.name.startsWith(name.slice(0, -1)) : fault.name === name
    );
    if (found.length > 0) return found;
    const list = known.map((fault) => fault.name).join(", ");
    throw new RangeError(`Cannot find the fault "${name}": there are ${list}`);
  });
}
