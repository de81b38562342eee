import { setTimeout as delay } from "node:timers/promises";
import type { BenchAccount } from "../../bench_account.ts";
import { postAll } from "../../http_load.ts";
import { sendBody } from "../../workload.ts";
import { backlog, hold, letGo, untilCount } from "./hold.ts";
import type { Stage } from "./stage.ts";
import type { StageFixture } from "./stage_fixture.ts";

/** What a stage is measured with. */
export interface StageBench {
  fixture: StageFixture;
  stage: Pick<Stage, "invoice">;
  /** The account. Its mail goes to a server that accepts it immediately, or to one that does not. */
  account: Pick<BenchAccount, "headers" | "pdfId"> & { integrationId: number };
  /** The next numbers that no recipient had yet. */
  takeNumbers(count: number): number;
}

/** To each process: requests that come at the same time share writes, so fewer would make each cost more. */
const CONNECTIONS = 32;

/** Asks for single mails, each over as many connections to every process of the api. A process that answers sooner gets more requests. */
export async function ask(bench: StageBench, units: number): Promise<void> {
  const { fixture, stage: { invoice }, account, takeNumbers } = bench;
  const { headers, integrationId, pdfId } = account;
  const urls = fixture.apiUrls();
  const first = takeNumbers(units);
  await postAll({
    to: (_, connection) => ({
      url: `${urls[connection % urls.length]}/templates/order/send/${integrationId}`,
      headers,
    }),
    requests: units,
    connections: CONNECTIONS * urls.length,
    body: (index) => JSON.stringify(sendBody({ first: first + index, count: 1, invoice, pdfId })),
  });
}

/** Work that is prepared: doing it begins with the call back, and lasts until the promise resolves. */
export type Work = (onBegin: () => void) => Promise<void>;

/** Prepares work for a stage; nothing of it is done before it is called for. */
export async function prepare(
  bench: StageBench & { stage: Stage },
  units: number,
): Promise<Work> {
  const { fixture: { manager }, stage: { name, consumers } } = bench;
  if (name === "api") {
    return (onBegin) => {
      onBegin();
      return ask(bench, units);
    };
  }
  await hold(manager, consumers);
  await ask(bench, units);
  await untilCount(() => backlog(manager, consumers), units, "events that wait");
  await delay(SETTLE_MS);
  return async (onBegin) => {
    await letGo(manager, consumers);
    onBegin();
    await untilCount(() => backlog(manager, consumers), 0, "events that wait");
  };
}

/** What was written last is on the disk then, and nobody is busy with it. */
const SETTLE_MS = 1000;

const STREAMS = ["RENDER", "PRINT", "MAIL", "STATUS"];

/** Removes all that was asked for, from the broker and from the database. */
export async function clear({ fixture: { manager, db } }: StageBench): Promise<void> {
  for (const stream of STREAMS) await manager.streams.purge(stream);
  for (const name of ["messages", "sends", "statistics"]) await db.collection(name).deleteMany({});
  await delay(SETTLE_MS);
}
