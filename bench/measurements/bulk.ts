import type { Bench } from "../bench.ts";
import { baselineMeasurement } from "./baseline_measurement.ts";
import type { Measurement } from "../measurement.ts";
import { drain } from "./drain.ts";
import { CONNECTIONS } from "../workload.ts";

/** The baseline of mails without PDFs. */
const POOL = { part: "nodemailer pool", baseline: "nodemailer", unit: "mail" } as const;

/** Mails without PDFs, by requests of 1,000 recipients, beside nodemailer alone. */
export async function bulk(bench: Bench): Promise<Measurement[]> {
  const figure = "bulk mail, no PDF";
  const mails = 1000 * Math.max(1, Math.round(3 * bench.scale));
  const baselineMails = Math.round(2000 * bench.scale);
  return [
    await drain(bench, { figure, mails, recipientsPerRequest: 1000, invoice: "none" }),
    await baselineMeasurement(bench, { ...POOL, figure, run: baselineMails }),
    await baselineMeasurement(bench, {
      ...{ ...POOL, figure, part: "nodemailer pool, MIME ready (raw)", baseline: "nodemailerRaw" },
      run: 2 * baselineMails,
    }),
  ];
}

/** As {@linkcode bulk}, to a server that takes more connections. */
export async function bulkWide(bench: Bench): Promise<Measurement[]> {
  const figure = `bulk mail, ${CONNECTIONS.many} connections`;
  const mails = 1000 * Math.max(1, Math.round(3 * bench.scale));
  const account = await bench.account({
    ...{ name: "wide", smtpPort: bench.sink.port, pages: 1, maxConnections: CONNECTIONS.many },
  });
  return [
    await drain(bench, {
      ...{ figure, mails, recipientsPerRequest: 1000, invoice: "none", accounts: [account] },
    }),
    await baselineMeasurement(bench, {
      ...{ ...POOL, figure, baseline: "nodemailerWide" },
      run: Math.round(2000 * bench.scale),
    }),
  ];
}

/** As {@linkcode bulk}, to a server 50 ms away that takes five connections, as most integrations have. */
export async function bulkFar(bench: Bench): Promise<Measurement[]> {
  const figure = `bulk mail, 50 ms away, ${CONNECTIONS.far} connections`;
  const mails = Math.round(600 * bench.scale);
  const account = await bench.account({
    ...{ name: "far", smtpPort: bench.sink.farPort, pages: 1, maxConnections: CONNECTIONS.far },
  });
  return [
    await drain(bench, {
      ...{ figure, mails, recipientsPerRequest: 1000, invoice: "none", accounts: [account] },
    }),
    await baselineMeasurement(bench, {
      ...{ ...POOL, figure, baseline: "nodemailerFar" },
      run: Math.round(mails / 3),
    }),
  ];
}

const QUEUES = [1000, 10_000, 100_000];

/** What a message costs while so many are queued, beside nodemailer alone with as many, 10,000 at most. */
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
