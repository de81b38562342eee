import { setTimeout as delay } from "node:timers/promises";
import { MAIL_SERVICES } from "@posthaste/dev";
import { type Chaos, type Fault, OUTLASTING, threeOf } from "@posthaste/chaos";

/** Something that was done to a member, and when, in milliseconds since 1970. */
export interface FaultStep {
  at: number;
  what: string;
}

const BETWEEN_MS = 2000;
const AWAY_MS = 2500;

/**
 * Kills and adds members while load runs: a third worker of every stage joins, one process of every
 * service is killed and replaced, the broker that leads the mail, another broker, the primary of the
 * database and another member are killed and come back, the primary steps down, and the third workers
 * leave in order. It ends by itself.
 *
 * @param note Called with each step when it is done.
 */
export function membersFault(note: (step: FaultStep) => void): Fault {
  const tell = (what: string) => note({ at: Date.now(), what });
  return {
    name: "members",
    description: "Members of every kind are killed and added",
    three: true,
    unanswered: true,
    leavesUnknown: true,
    thinksMs: 20,
    settings: OUTLASTING,
    mix: { sharedPdf: 0.1, ownPdf: 0.1, bulk: 0.03 },
    async run(chaos) {
      tell("load begins");
      await delay(BETWEEN_MS);
      const third = await addWorkers(chaos, tell);
      await killServices(chaos, tell);
      await killBrokers(chaos, tell);
      await killDatabases(chaos, tell);
      for (const pod of third) {
        const reason = await chaos.fixture.pods.end(pod, "SIGTERM");
        if (reason !== 0) {
          chaos.fixture.pods.deaths.push(`${pod.name} ended with ${reason} at SIGTERM`);
        }
        tell(`${pod.name} leaves (SIGTERM)`);
      }
      await delay(BETWEEN_MS);
      tell("members are left alone");
    },
  };
}

type Tell = (what: string) => void;

async function addWorkers({ fixture }: Chaos, tell: Tell) {
  const added = [];
  for (const role of MAIL_SERVICES) {
    const pod = await fixture.pods.start(role);
    added.push(pod);
    tell(`${pod.name} joins`);
    await delay(BETWEEN_MS / 2);
  }
  return added;
}

async function killServices({ fixture, count }: Chaos, tell: Tell): Promise<void> {
  for (const role of MAIL_SERVICES) {
    const [pod] = fixture.pods.running(role);
    if (pod === undefined) continue;
    await fixture.pods.end(pod, "SIGKILL");
    count("crash", role);
    tell(`${pod.name} is killed`);
    await delay(BETWEEN_MS / 2);
    const next = await fixture.pods.start(role);
    tell(`${next.name} joins`);
    await delay(BETWEEN_MS / 2);
  }
}

async function killBrokers(chaos: Chaos, tell: Tell): Promise<void> {
  const { cluster } = threeOf(chaos);
  const leader = await cluster.streamLeader("MAIL") ?? cluster.members[0];
  const other = cluster.members.find((member) => member !== leader);
  for (const [member, what] of [[leader, ", which leads the mail,"], [other, ""]] as const) {
    if (member === undefined) continue;
    await member.kill();
    chaos.count("crash", `nats ${member.name}`);
    tell(`broker ${member.name}${what} is killed`);
    await delay(AWAY_MS);
    await member.restart();
    await cluster.settled();
    tell(`broker ${member.name} is back`);
    await delay(BETWEEN_MS);
  }
}

async function killDatabases(chaos: Chaos, tell: Tell): Promise<void> {
  const { mongods } = threeOf(chaos);
  const primary = await mongods.primary();
  await primary.kill();
  chaos.count("crash", "mongod primary");
  tell("the primary database is killed");
  const elected = await mongods.primary();
  tell("another database is primary");
  await delay(AWAY_MS);
  await primary.restart();
  tell("the killed database is back");
  await delay(2 * BETWEEN_MS);
  const secondary = mongods.members.find((member) => member !== elected && member !== primary);
  await secondary?.kill();
  chaos.count("crash", "mongod secondary");
  tell("a secondary database is killed");
  await delay(AWAY_MS);
  await secondary?.restart();
  tell("the secondary database is back");
  await delay(2 * BETWEEN_MS);
  await mongods.stepDown();
  chaos.count("other", "step down");
  tell("the primary database has stepped down");
  await delay(BETWEEN_MS);
}
