import type { Bench } from "../bench.ts";
import type { AccountPlan } from "../bench_account.ts";
import { baselineMeasurement } from "./baseline_measurement.ts";
import type { Measurement } from "../measurement.ts";
import { drain } from "./drain.ts";
import { FILLED_POOL, POOL, RAW_POOL } from "./pools.ts";
import { CONNECTIONS } from "../workload.ts";

/** Mails without PDFs, by requests of 1,000 recipients, beside Handlebars and nodemailer alone. */
export async function bulk(bench: Bench): Promise<Measurement[]> {
  const figure = "bulk mail, no PDF";
  const mails = bulkMails(bench);
  const baselineMails = Math.round(2000 * bench.scale);
  return [
    await drain(bench, { figure, mails, recipientsPerRequest: 1000, invoice: "none" }),
    await baselineMeasurement(bench, { ...POOL, figure, run: baselineMails }),
    await baselineMeasurement(bench, { ...FILLED_POOL, figure, run: baselineMails }),
    await baselineMeasurement(bench, { ...RAW_POOL, figure, run: 2 * baselineMails }),
  ];
}

/** As {@linkcode bulk}, to a server that takes more connections. */
export async function bulkWide(bench: Bench): Promise<Measurement[]> {
  const figure = `bulk mail, ${CONNECTIONS.many} connections`;
  const run = Math.round(2000 * bench.scale);
  return [
    ...await bulkOver(bench, {
      figure,
      account: { name: "wide", smtpPort: bench.sink.port, maxConnections: CONNECTIONS.many },
      mails: bulkMails(bench),
      ...{ baseline: "nodemailerWide", run },
    }),
    await baselineMeasurement(bench, {
      ...{ ...FILLED_POOL, figure, baseline: "nodemailerWideFilled", run },
    }),
  ];
}

/** As {@linkcode bulk}, to a server 50 ms away that takes five connections, as most integrations have. */
export function bulkFar(bench: Bench): Promise<Measurement[]> {
  const mails = Math.round(600 * bench.scale);
  return bulkOver(bench, {
    figure: `bulk mail, 50 ms away, ${CONNECTIONS.far} connections`,
    account: { name: "far", smtpPort: bench.sink.farPort, maxConnections: CONNECTIONS.far },
    mails,
    ...{ baseline: "nodemailerFar", run: Math.round(mails / 3) },
  });
}

/** Bulk mail of an account of its own, and a baseline with as many connections. */
interface BulkPlan {
  figure: string;
  account: Omit<AccountPlan, "pages">;
  mails: number;
  baseline: string;
  /** Mails of the baseline. */
  run: number;
}

async function bulkOver(
  bench: Bench,
  { figure, account: plan, mails, baseline, run }: BulkPlan,
): Promise<Measurement[]> {
  const account = await bench.account({ ...plan, pages: 1 });
  return [
    await drain(bench, {
      ...{ figure, mails, recipientsPerRequest: 1000, invoice: "none", accounts: [account] },
    }),
    await baselineMeasurement(bench, { ...POOL, figure, baseline, run }),
  ];
}

/** Three whole requests, or at least one. */
function bulkMails({ scale }: Bench): number {
  return 1000 * Math.max(1, Math.round(3 * scale));
}

const QUEUES = [1000, 10_000, 100_000];

/** What a message costs while so many are queued, beside Handlebars and nodemailer alone with as many, 10,000 at most. */
export async function queue(bench: Bench): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const queued of QUEUES) {
    const mails = Math.max(1, Math.round(queued * bench.scale));
    const figure = `${mails.toLocaleString("en")} queued together`;
    measurements.push(
      await drain(bench, { figure, mails, recipientsPerRequest: 1000, invoice: "none" }),
      await baselineMeasurement(bench, { ...POOL, figure, run: Math.min(mails, 10_000) }),
    );
  }
  return measurements;
}
