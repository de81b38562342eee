import type { Bench } from "../bench.ts";
import { bareMeasurement } from "./bare_measurement.ts";
import type { Measurement } from "../measurement.ts";
import { drain } from "./drain.ts";

/** Mails without PDFs, by requests of 1,000 recipients, beside nodemailer alone. */
export async function bulk(bench: Bench): Promise<Measurement[]> {
  const figure = "bulk mail, no PDF";
  const mails = 1000 * Math.max(1, Math.round(3 * bench.scale));
  const bareMails = Math.round(2000 * bench.scale);
  return [
    await drain(bench, { figure, mails, recipientsPerRequest: 1000, invoice: "none" }),
    await bareMeasurement(bench, {
      figure,
      part: "nodemailer pool",
      bare: "nodemailer",
      unit: "mail",
      run: bareMails,
    }),
    await bareMeasurement(bench, {
      figure,
      part: "nodemailer pool, MIME ready (raw)",
      bare: "nodemailerRaw",
      unit: "mail",
      run: 2 * bareMails,
    }),
  ];
}
