import type { Bench } from "../bench.ts";
import type { Measurement } from "../measurement.ts";
import { type Drain, drain } from "./drain.ts";

/** For the events that an endpoint gets after the last mail. */
const ARRIVE_TIMEOUT_MS = 120_000;

/**
 * Bulk mail without PDFs whose events an endpoint gets, one request each, beside the same mail without any
 * endpoint. Events are recorded either way.
 */
export async function events(bench: Bench): Promise<Measurement[]> {
  const plan: Drain = {
    figure: "bulk mail, each event by webhook",
    mails: Math.max(1, Math.round(3000 * bench.scale)),
    ...{ recipientsPerRequest: 1000, invoice: "none" },
  };
  const receiver = await bench.receiver();
  const common = { smtpPort: bench.sink.port, pages: 1 };
  const silent = await bench.account({ ...common, name: "no endpoint" });
  const followed = await bench.account({ ...common, name: "endpoint", webhookUrl: receiver.url });
  receiver.reset();
  const delivered = () => receiver.waitFor(plan.mails, ARRIVE_TIMEOUT_MS);
  return [
    await drain(bench, { ...plan, accounts: [followed], until: delivered }),
    await drain(bench, { ...plan, accounts: [silent], part: "no endpoint" }),
  ];
}
