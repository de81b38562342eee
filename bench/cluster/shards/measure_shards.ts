import { MAIL_SERVICES } from "@posthaste/dev";
import { writeTable } from "@posthaste/chaos";
import { type Document, MongoClient } from "mongodb";
import { fillAccount } from "../../bench_account.ts";
import { postAll } from "../../http_load.ts";
import { cpuBetween, type CpuTimes, readCpu } from "../../process_cpu.ts";
import { openSink } from "../../sink_process.ts";
import { sendBody } from "../../workload.ts";
import { untilCount } from "../stages/hold.ts";
import { openStageFixture, type StageFixture } from "../stages/stage_fixture.ts";

/** How many recipients a request has. */
type RequestSize = 1 | 100;

/** What mails of many accounts cost with one database, or with the ledger divided between two. */
export interface ShardsMeasurement {
  databases: number;
  recipients: RequestSize;
  perSecond: number;
  /** CPU time of a mail in milliseconds, by part; each database by its number. */
  cpuMs: CpuTimes;
  /** Documents of each database, by collection. */
  documents: Record<string, number[]>;
  /** Commands of a mail that the router sent to one shard, and to more than one, by kind. */
  targeted: Record<string, { one: number; more: number }>;
}

const ACCOUNTS = 24;
const CONNECTIONS = 32;
const WARM_UP = 240;
const DIVIDED = ["sends", "messages", "attempts"];

/** Sends mails of many accounts with one database, and with the ledger on two shards. */
export async function measureShards({ scale }: { scale: number }): Promise<ShardsMeasurement[]> {
  return [
    ...await measureOn({ isSharded: false, scale }),
    ...await measureOn({ isSharded: true, scale }),
  ];
}

async function measureOn(
  { isSharded, scale }: { isSharded: boolean; scale: number },
): Promise<ShardsMeasurement[]> {
  await using fixture = await openStageFixture(1, { isSharded });
  await using sink = await openSink();
  const accounts: Account[] = [];
  for (let number = 1; number <= ACCOUNTS; number++) {
    const plan = { name: `account ${number}`, pages: 1, maxConnections: 8, smtpPort: sink.port };
    accounts.push(await fillAccount(fixture.store, plan));
  }
  await Promise.all(MAIL_SERVICES.map((role) => fixture.pods.start(role)));
  const load: Load = { fixture, accounts, sent: 0 };
  await sendAll(load, WARM_UP, 1);
  const measurements: ShardsMeasurement[] = [];
  for (const recipients of [1, 100] as const) {
    const units = Math.ceil((recipients === 1 ? 1200 : 6000) * scale / 100) * 100;
    measurements.push({ ...await measure(load, units, recipients), recipients });
  }
  const arrived = await sink.count();
  if (arrived !== load.sent) {
    throw new Error(`Cannot measure: ${arrived} mails arrived, not ${load.sent}`);
  }
  for (const warning of fixture.warnings.slice(0, 10)) process.stderr.write(`${warning}\n`);
  return measurements;
}

interface Account {
  headers: Record<string, string>;
  integrationId: number;
  pdfId: number;
}

interface Load {
  fixture: StageFixture;
  accounts: readonly Account[];
  /** Mails so far. */
  sent: number;
}

async function measure(load: Load, units: number, recipients: RequestSize) {
  const { fixture } = load;
  const before = await readAll(fixture);
  const started = performance.now();
  await sendAll(load, units, recipients);
  const seconds = (performance.now() - started) / 1000;
  await untilCount(
    () => fixture.db.collection("sends").countDocuments({ settledAt: null }),
    ...[0, "sends that are not settled"] as const,
  );
  const after = await readAll(fixture);
  return {
    databases: fixture.mongod.length,
    perSecond: units / seconds,
    cpuMs: cpuBetween(before.cpu, after.cpu, units),
    documents: await countEach(fixture),
    targeted: targetedBetween(before.targeted, after.targeted, units),
  };
}

/** Sends mails in requests of the accounts in turn, and waits until all are sent. */
async function sendAll(load: Load, units: number, recipients: RequestSize): Promise<void> {
  const { fixture, accounts } = load;
  const first = load.sent;
  const [url = ""] = fixture.apiUrls();
  const accountOf = (index: number) => accounts[index % accounts.length] as Account;
  await postAll({
    to: (index) => ({
      url: `${url}/templates/order/send/${accountOf(index).integrationId}`,
      headers: accountOf(index).headers,
    }),
    requests: units / recipients,
    connections: CONNECTIONS,
    body: (index) =>
      JSON.stringify(sendBody({
        ...{ first: first + index * recipients, count: recipients },
        ...{ invoice: "none", pdfId: accountOf(index).pdfId },
      })),
  });
  load.sent += units;
  const sent = () => fixture.db.collection("messages").countDocuments({ state: "sent" });
  await untilCount(sent, load.sent, "mails that are sent");
}

type Targeted = Record<string, { oneShard: number; manyShards: number; allShards: number }>;

async function readAll({ pods, nats, mongod, db }: StageFixture) {
  const status = await db.admin().command({ serverStatus: 1 });
  const targeted: Targeted = status["shardingStatistics"]?.numHostsTargeted ?? {};
  const cpu = readCpu([
    ...pods.running().map(({ role, process: { pid } }) => ({ name: role, pid })),
    ...nats.map(({ pid }) => ({ name: "nats", pid })),
    ...mongod.map(({ pid }, index) => ({ name: `mongod ${index + 1}`, pid })),
  ]);
  return { cpu, targeted };
}

function targetedBetween(before: Targeted, after: Targeted, units: number) {
  const each = (kind: string, field: keyof Targeted[string]) =>
    ((after[kind]?.[field] ?? 0) - (before[kind]?.[field] ?? 0)) / units;
  return Object.fromEntries(
    Object.keys(after).map((kind) => [kind, {
      one: each(kind, "oneShard"),
      more: each(kind, "manyShards") + each(kind, "allShards"),
    }]),
  );
}

/** Counts the documents of each database past the router. */
async function countEach({ mongod, db }: StageFixture): Promise<Record<string, number[]>> {
  const counts: Record<string, number[]> = {};
  for (const { url } of mongod) {
    await using direct = await new MongoClient(url).connect();
    for (const name of DIVIDED) {
      const found: Document = await direct.db(db.databaseName).command({ count: name });
      counts[name] = [...counts[name] ?? [], Number(found["n"])];
    }
  }
  return counts;
}

const PARTS = [...MAIL_SERVICES, "nats", "mongod 1", "mongod 2"];

/** Writes tables of what a mail costs, and of where its documents and commands went. */
export function writeShards(measurements: readonly ShardsMeasurement[]): string {
  const nameOf = ({ databases, recipients }: ShardsMeasurement) =>
    `${databases} of databases, ${recipients} a request`;
  const cost = measurements.map((each) => [
    ...[nameOf(each), each.perSecond.toFixed()],
    ...PARTS.map((part) => (each.cpuMs[part] ?? 0).toFixed(2)),
  ]);
  const documents = measurements.map((each) => [
    nameOf(each),
    ...DIVIDED.map((name) => each.documents[name]?.join(" + ") ?? ""),
  ]);
  const commands = measurements.filter(({ databases }) => databases > 1).flatMap((each) =>
    Object.entries(each.targeted).map(([kind, { one, more }]) => [
      ...[nameOf(each), kind, one.toFixed(3), more.toFixed(3)],
    ])
  );
  return [
    ...writeTable(["a mail, CPU ms", "per s", ...PARTS], cost),
    "",
    ...writeTable(["documents", ...DIVIDED], documents),
    "",
    ...writeTable(["commands of a mail", "kind", "to one shard", "to more"], commands),
  ].join("\n");
}
