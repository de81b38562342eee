import { MAIL_SERVICES, type ServiceName } from "@posthaste/dev";
import { type Failpoint, FAILPOINTS } from "@posthaste/runtime";
import type { Chaos, Fault } from "./fault.ts";
import type { Pod } from "../fixture/pods.ts";
import type { Random } from "../random.ts";
import { clearFaults } from "./smtp_fault.ts";

const LONGEST_MS = 8000;

/** Share of the processes that are spared: an event whose workers all end rightly counts as poison. */
const SPARED_SHARE = 0.25;
const SPARED_MS = 2000;

/** Services that reach the failpoints of the libraries. */
const PASSING: Readonly<Record<string, readonly ServiceName[]>> = {
  consume: ["renderer", "pdf", "mailer"],
  objects: ["pdf"],
  status_events: ["tracker"],
};

/** Ends services at the named moments in their code, each moment in turn, at a random pass. */
export const CRASHES: Fault = {
  name: "failpoints",
  description:
    "Every service ends itself at each of its named failpoints in turn, all at the same time",
  unanswered: true,
  leavesUnknown: true,
  thinksMs: 30,
  // Unreachable servers make mailers return mail, which has failpoints of its own.
  smtp: [...clearFaults(0.003), { stage: "connect", action: { do: "reset" }, share: 0.2 }],
  mix: { sharedPdf: 0.2, ownPdf: 0.15, bulk: 0.04 },
  weight: 8,
  async run(chaos) {
    await Promise.all(MAIL_SERVICES.map((role) => crashOften(role, chaos)));
  },
};

/** Keeps one process of a service running that is about to end itself. */
async function crashOften(role: ServiceName, chaos: Chaos): Promise<void> {
  const random = chaos.random.fork(role);
  const points = FAILPOINTS.filter((point) => {
    const [where = ""] = point.split(".");
    return where === role || PASSING[where]?.includes(role);
  });
  let left: Failpoint[] = [];
  while (points.length > 0 && await chaos.pause(random.integer(50, 300))) {
    if (left.length === 0) left = shuffled(points, random);
    const point = left.pop() as Failpoint;
    await crashAt(point, { role, pass: random.integer(1, random.pick([2, 8, 30])), chaos });
    if (!random.chance(SPARED_SHARE)) continue;
    await disarm(role, chaos);
    await chaos.pause(SPARED_MS);
  }
  await disarm(role, chaos);
}

/** Replaces the last process, which may still be armed, by one that ends normally. */
async function disarm(role: ServiceName, { fixture: { pods } }: Chaos): Promise<void> {
  const armed = pods.running(role);
  await pods.start(role);
  for (const pod of armed) await pods.end(pod, "SIGTERM");
}

interface Crashing {
  role: ServiceName;
  pass: number;
  chaos: Chaos;
}

async function crashAt(point: Failpoint, { role, pass, chaos }: Crashing): Promise<void> {
  const { pods } = chaos.fixture;
  const others = pods.running(role);
  let pod: Pod;
  try {
    pod = await pods.start(role, { POSTHASTE_CRASH_AT: `${point}:${pass}` });
  } catch (error) {
    if (!/SIGKILL/.test(String(error))) throw error;
    // It reached the failpoint before it was ready.
    return chaos.count("crash", point);
  }
  await Promise.all(others.map((other) => pods.end(other, "SIGTERM")));
  await Promise.race([pod.process.exited, chaos.pause(LONGEST_MS)]);
  if (pod.state === "ended") chaos.count("crash", point);
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  return list.map((item) => ({ item, at: random.next() })).sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
