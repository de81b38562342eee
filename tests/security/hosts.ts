import { once } from "node:events";
import { createServer, isIPv4, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Message } from "@posthaste/contracts";
import { EgressError, isPublicAddress, openGuardedResolver, readNetworks } from "@posthaste/egress";
import { until } from "@posthaste/kit";
import { publishEmail } from "@posthaste/templating";
import { openRandom, type Random } from "@posthaste/chaos";
import { DATABASE } from "@posthaste/chaos";
import { type Fixture, openFixture } from "@posthaste/chaos";
import type { AttackRow } from "./row.ts";

/** The options of the attack. */
export interface AttackHostsOptions {
  /** Number of addresses and look-ups; integrations are at most {@linkcode MAX_INTEGRATIONS}. */
  tries: number;
  seed: number;
  onProgress?(line: string): void;
}

const MAX_INTEGRATIONS = 80;
const FROM = "shop@sender.example";
const PORTS = [25, 465, 587, 2525];

/**
 * Names hosts inside as SMTP servers: in every notation, by names whose address changes, and through the
 * whole system with the settings of production, beside a listener.
 */
export async function attackHosts(options: AttackHostsOptions): Promise<AttackRow[]> {
  const { tries, seed, onProgress = () => {} } = options;
  const random = openRandom(`hosts/${seed}`);
  const rows: AttackRow[] = [];
  for (const attack of [nameInside, rebind, tryPorts]) {
    const started = performance.now();
    const row = await attack(tries, random.fork(attack.name));
    rows.push({ ...row, seconds: (performance.now() - started) / 1000 });
    onProgress(`${row.attack}: ${row.tries} tries, ${row.through} through`);
  }
  rows.push(...await sendInside({ hosts: hostsOf(tries, random.fork("system")), onProgress }));
  return rows;
}

type Figures = Omit<AttackRow, "seconds">;

/** Tries internal addresses, in the notations that systems and libraries read. */
async function nameInside(tries: number, random: Random): Promise<Figures> {
  const resolve = openGuardedResolver({ ports: PORTS, allowed: readNetworks([]) });
  let through = 0;
  for (let n = 0; n < tries; n++) {
    const host = notationOf(insideAddress(random), random);
    const answer = await resolve({ host, port: 25, owner: "acc_1" }).catch((error) => error);
    if (!(answer instanceof EgressError)) through++;
  }
  return { attack: "hosts: addresses inside in odd notations", tries, through };
}

/** Tries names with a public address and, on the next look-up or in the same answer, an internal one. */
async function rebind(tries: number, random: Random): Promise<Figures> {
  let answered: string[] = [];
  const resolve = openGuardedResolver({
    ports: PORTS,
    allowed: readNetworks([]),
    lookup: () => {
      const count = random.integer(1, 4);
      answered = Array.from(
        { length: count },
        () => random.chance(0.7) ? publicAddress(random) : insideAddress(random),
      );
      return Promise.resolve(answered);
    },
  });
  let through = 0;
  for (let n = 0; n < tries; n++) {
    const address = await resolve({ host: "rebinds.example", port: 587, owner: "acc_1" }).catch(
      () => undefined,
    );
    const isClean = answered.every(isPublicAddress);
    const isRight = address === undefined ? !isClean : isClean && answered.includes(address);
    if (!isRight) through++;
  }
  return { attack: "hosts: names that rebind", tries, through };
}

/** Tries ports at public addresses that no mail server has. */
async function tryPorts(tries: number, random: Random): Promise<Figures> {
  const resolve = openGuardedResolver({ ports: PORTS, allowed: readNetworks([]) });
  let through = 0;
  for (let n = 0; n < tries; n++) {
    const port = random.integer(1, 65_535);
    const answer = await resolve({ host: publicAddress(random), port, owner: "acc_1" }).catch((
      error,
    ) => error);
    if (answer instanceof EgressError === PORTS.includes(port)) through++;
  }
  return { attack: "hosts: other ports of public hosts", tries, through };
}

const INSIDE: readonly ((random: Random) => [number, number, number, number])[] = [
  (random) => [127, ...three(random)],
  (random) => [10, ...three(random)],
  (random) => [172, random.integer(16, 31), byte(random), byte(random)],
  (random) => [192, 168, byte(random), byte(random)],
  (random) => [169, 254, byte(random), byte(random)],
  () => [169, 254, 169, 254],
  (random) => [100, random.integer(64, 127), byte(random), byte(random)],
  (random) => [0, ...three(random)],
  (random) => [198, random.integer(18, 19), byte(random), byte(random)],
  (random) => [random.integer(224, 255), ...three(random)],
];

function byte(random: Random): number {
  return random.integer(0, 255);
}

function three(random: Random): [number, number, number] {
  return [byte(random), byte(random), byte(random)];
}

function insideAddress(random: Random): string {
  return random.pick(INSIDE)(random).join(".");
}

function publicAddress(random: Random): string {
  for (;;) {
    const address = [random.integer(1, 223), ...three(random)].join(".");
    if (isPublicAddress(address)) return address;
  }
}

function notationOf(address: string, random: Random): string {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
  const hex = (value: number) => value.toString(16);
  const [high, low] = [hex((a << 8) | b), hex((c << 8) | d)];
  return random.pick([
    address,
    String(number),
    `0x${hex(number)}`,
    `0${number.toString(8)}`,
    [a, b, c, d].map((part) => `0${part.toString(8)}`).join("."),
    [a, b, c, d].map((part) => `0x${hex(part)}`).join("."),
    `${a}.${b}.${(c << 8) | d}`,
    `${a}.${(b << 16) | (c << 8) | d}`,
    `::ffff:${address}`,
    `[::ffff:${high}:${low}]`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `::ffff:0:${high}:${low}`,
    `::${high}:${low}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b:1::${high}:${low}`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::1`,
    `fe80::${high}:${low}`,
    `fd00::${high}:${low}`,
  ]);
}

/** Returns this machine's addresses in every notation, which would reach the listener. */
function hostsOf(tries: number, random: Random): string[] {
  const own = Object.values(networkInterfaces()).flat().map((each) => each?.address ?? "");
  const hosts = new Set([
    ...["localhost", "localhost.", "LOCALHOST", "::1", "[::1]", "0.0.0.0", "::", "127.1", "0"],
    ...own,
    ...own.filter((address) => isIPv4(address)).map((address) => `::ffff:${address}`),
  ]);
  for (let n = 0; hosts.size < Math.min(tries, MAX_INTEGRATIONS) && n < 10_000; n++) {
    hosts.add(notationOf(`127.0.0.${random.integer(1, 254)}`, random));
  }
  return [...hosts];
}

/** Sends a mail through an integration for each host, by a mailer with the settings of production. */
async function sendInside({ hosts, onProgress }: {
  hosts: string[];
  onProgress(line: string): void;
}): Promise<AttackRow[]> {
  const started = performance.now();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => {})));
  await once(server.listen(0, "::"), "listening");
  const { port } = server.address() as { port: number };
  try {
    await using fixture = await openFixture();
    await hardenMailer(fixture, port);
    const target = await openTarget(fixture);
    let refused = 0;
    for (const [at, host] of hosts.entries()) {
      const isTaken = await sendThrough(target, { host, port, name: `${at}` });
      if (!isTaken) refused++;
    }
    const reasons = await reasonsOf(fixture, target.accountId, hosts.length - refused);
    const telling = reasons.filter((reason) => /\d+\.\d+\.\d+|[\da-f]*:[\da-f]*:/i.test(reason));
    for (const reason of new Set(reasons)) onProgress(reason);
    const seconds = (performance.now() - started) / 1000;
    const note = `${refused} refused when they were set up`;
    const { length: tries } = hosts;
    return [
      { attack: "hosts: this machine as SMTP server", tries, through: sockets.size, note, seconds },
      {
        attack: "hosts: reasons that reveal an address",
        tries,
        through: telling.length,
        seconds: 0,
      },
    ];
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

/** Replaces the mailer: the fixture's may reach this machine, and the new one must not. */
async function hardenMailer({ pods }: Fixture, port: number): Promise<void> {
  const before = pods.running("mailer");
  // The listener's port is allowed: only the address is forbidden.
  await pods.start("mailer", { EGRESS_ALLOW: "", SMTP_PORTS: String(port) });
  for (const pod of before) await pods.end(pod, "SIGTERM");
}

interface Target {
  store: Fixture["store"];
  url: string;
  token: string;
  accountId: string;
}

async function openTarget({ store, pods }: Fixture): Promise<Target> {
  const { _id: accountId } = await store.accounts.create({ name: "hosts" });
  const { token } = await store.tokens.create({ accountId, name: "hosts", scopes: ["send"] });
  const source = { subject: "x", html: "<p>x</p>" };
  const { subject, html, text } = await publishEmail(source);
  await store.templates.publish({
    ...{ accountId, kind: "email", alias: "hosts", name: "Hosts", source, variables: [] },
    parts: { subject, html, text },
    sourceHash: "hosts",
  });
  return { store, url: pods.running("api")[0]?.url ?? "", token, accountId };
}

/** Returns whether the host was accepted and a mail sent. */
async function sendThrough(
  { store, url, token, accountId }: Target,
  { host, port, name }: { host: string; port: number; name: string },
): Promise<boolean> {
  let id: number;
  try {
    const settings = { accountId, name, host, port, auth: null, senders: [FROM] };
    ({ id } = await store.integrations.create({ ...settings, tls: "none" }));
  } catch {
    return false;
  }
  const response = await fetch(`${url}/templates/hosts/send/${id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ from: { email: FROM }, to: [{ email: "ann@example.net" }] }),
  });
  if (!response.ok) throw new Error(`Cannot attack: it was answered ${await response.text()}`);
  return true;
}

/** Waits until all mail waits or has failed; returns all texts for people about it. */
async function reasonsOf({ mongo }: Fixture, accountId: string, count: number): Promise<string[]> {
  const messages = mongo.db(DATABASE).collection<Message>("messages");
  const states: Message["state"][] = ["deferred", "failed", "sent"];
  await until(
    async () => await messages.countDocuments({ accountId, state: { $in: states } }) === count,
    { timeoutMs: 300_000, everyMs: 500, message: "all mail to rest" },
  );
  const all = await messages.find({ accountId }).toArray();
  return all.flatMap(({ reason, timeline, reply }) => [
    reason ?? "",
    ...timeline.map(({ detail = "" }) => detail),
    ...(reply === null ? [] : [JSON.stringify(reply)]),
  ]);
}
