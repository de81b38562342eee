import type { ServiceName } from "@posthaste/dev";
import { CRASH_POINTS, type CrashPoint } from "@posthaste/runtime";
import type { Chaos, Fault } from "../fault.ts";
import type { Pod } from "../pods.ts";
import type { Random } from "../random.ts";
import { clearFaults } from "../smtp_fault.ts";

const LONGEST_MS = 6000;

/** Ends services at the named moments in their code, each moment in turn, at a random pass. */
export const CRASHES: Fault = {
  name: "crash-points",
  description: "Each named crash point in turn ends its service at a random pass",
  unanswered: true,
  doubtful: true,
  thinksMs: 30,
  // Servers that cannot be reached have mail parked, which has points of its own.
  smtp: [...clearFaults(0.003), { stage: "connect", action: { do: "reset" }, share: 0.2 }],
  mix: { sharedPdf: 0.2, ownPdf: 0.15, bulk: 0.04 },
  async run(chaos) {
    let left: CrashPoint[] = [];
    while (await chaos.pause(chaos.random.integer(50, 300))) {
      if (left.length === 0) left = shuffled(CRASH_POINTS, chaos);
      const point = left.pop();
      if (point !== undefined) await crashAt(point, chaos);
    }
  },
};

/** Gives a service one process that is armed, and replaces it when it is dead or spared. */
async function crashAt(point: CrashPoint, chaos: Chaos): Promise<void> {
  const { rig, random, count } = chaos;
  const role = roleOf(point, random);
  const others = rig.pods.running(role);
  const pass = random.integer(1, 8);
  let pod: Pod | undefined;
  try {
    pod = await rig.pods.start(role, { POSTHASTE_CRASH_AT: `${point}:${pass}` });
    rig.pods.expectDeath(pod);
    await Promise.all(others.map((other) => rig.pods.end(other, "SIGTERM")));
    await Promise.race([pod.process.exited, chaos.pause(LONGEST_MS)]);
  } catch (error) {
    // It may come there before it is ready.
    if (!/SIGKILL/.test(String(error))) throw error;
    count("crash");
  }
  if (pod?.state === "ended") count("crash");
  else if (pod !== undefined) await rig.pods.end(pod, "SIGTERM");
  await rig.pods.start(role);
}

/** Which service comes to a point; the points of the libraries are in several. */
function roleOf(point: CrashPoint, random: Random): ServiceName {
  const [where = ""] = point.split(".");
  switch (where) {
    case "consume":
      return random.pick(["renderer", "pdf", "mailer"]);
    case "objects":
      return "pdf";
    case "facts":
      return "tracker";
    default:
      return where as ServiceName;
  }
}

function shuffled<T>(list: readonly T[], { random }: Chaos): T[] {
  return list.map((item) => ({ item, at: random.next() })).sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
