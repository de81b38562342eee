import { randomInt } from "node:crypto";
import handlebars from "handlebars";
import type { Bench } from "../bench.ts";
import type { BenchAccount } from "../bench_account.ts";
import type { Measurement } from "../measurement.ts";
import { baselineMeasurement } from "./baseline_measurement.ts";
import { POOL, RAW_POOL } from "./pools.ts";
import { LONG_INVOICE_VARIABLES } from "../workload.ts";
import { drain } from "./drain.ts";

/** A PDF of their own for everyone, beside Chromium alone. */
export async function pdfEach(bench: Bench): Promise<Measurement[]> {
  const figure = "mail with its own PDF";
  const mails = Math.round(200 * bench.scale);
  const pdfs = { figure, unit: "PDF" };
  return [
    await drain(bench, { figure, mails, recipientsPerRequest: 1000, invoice: "each" }),
    await baselineMeasurement(bench, {
      ...pdfs,
      part: "Chromium, pages reused (CDP)",
      baseline: "pageReuse",
      run: mails,
    }),
    await baselineMeasurement(bench, {
      ...pdfs,
      part: "Chromium, new context per PDF",
      baseline: "newContext",
      run: Math.round(mails / 5),
    }),
  ];
}

/** One mail with an invoice of 5,000 lines, beside the same document in Chromium alone. */
export async function pdfLong(bench: Bench): Promise<Measurement[]> {
  const figure = "mail with a PDF of 5,000 lines";
  const fill = handlebars.compile(bench.system.invoice);
  return [
    await drain(bench, { figure, mails: 1, recipientsPerRequest: 1, invoice: "long" }),
    await baselineMeasurement(bench, {
      ...{ figure, part: "Chromium, page reused (CDP)", baseline: "pageReuse", unit: "PDF" },
      ...{ run: 1, invoice: fill({ ...LONG_INVOICE_VARIABLES, number: "I-bare" }) },
    }),
  ];
}

const ACCOUNTS = 50;

/** As {@linkcode pdfEach}, each mail of another of 50 accounts, in random order. */
export async function pdfAccounts(bench: Bench): Promise<Measurement[]> {
  const figure = "mail with its own PDF, of 50 accounts";
  const mails = Math.round(200 * bench.scale);
  const all: BenchAccount[] = [];
  for (let number = 1; number <= ACCOUNTS; number++) {
    const name = `account ${number}`;
    all.push(await bench.account({ name, smtpPort: bench.sink.port, pages: 1 }));
  }
  const accounts = Array.from({ length: mails }, () => all[randomInt(ACCOUNTS)] ?? bench.system);
  return [
    await drain(bench, { figure, mails, recipientsPerRequest: 1, invoice: "each", accounts }),
    await baselineMeasurement(bench, {
      ...{ figure, part: "Chromium, pages reused (CDP)", baseline: "pageReuse", unit: "PDF" },
      run: mails,
    }),
  ];
}

/** One PDF that everyone gets, beside Handlebars and nodemailer alone with an attachment of that size. */
export async function pdfShared(bench: Bench): Promise<Measurement[]> {
  const figure = "mail with a shared PDF";
  const mails = 1000 * Math.max(1, Math.round(2 * bench.scale));
  const { result: pdfBytes = 0 } = await (await bench.baseline("pageReuse")).run({ run: 1 });
  const plan = { figure, pdfBytes };
  return [
    await drain(bench, { figure, mails, recipientsPerRequest: 1000, invoice: "shared" }),
    await baselineMeasurement(bench, { ...POOL, ...plan, run: Math.round(mails / 2) }),
    await baselineMeasurement(bench, { ...RAW_POOL, ...plan, run: mails }),
  ];
}
