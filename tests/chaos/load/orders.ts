import type { OrderedMail, OrderKind } from "../records/records.ts";
import type { Random } from "../random.ts";

/** One request that the client makes. */
export interface Order {
  key: string;
  kind: OrderKind;
  mails: OrderedMail[];
}

/** The mix of requested mails. */
export interface Mix {
  /** Share of the mails with the PDF that all share. */
  sharedPdf: number;
  /** Share of the mails with a PDF of their own. */
  ownPdf: number;
  /** Share of the requests that go by the priority of large sends, of 11 to 40 recipients. */
  bulk: number;
}

/** The default mix. */
export const USUAL_MIX: Mix = { sharedPdf: 0.12, ownPdf: 0.03, bulk: 0.04 };

/** Options of {@linkcode makeOrders}. */
export interface OrderOptions {
  /** Marks the addresses and keys of a run. */
  run: string;
  /** Minimum number of mails in valid requests. */
  messages: number;
  mix: Mix;
  random: Random;
}

/** Returns the requests of a run: mostly valid ones, and some of a careless client. */
export function makeOrders({ run, messages, mix, random }: OrderOptions): Order[] {
  const orders: Order[] = [];
  let n = 0;
  let good = 0;
  const mail = (): OrderedMail => {
    n++;
    const drawn = random.next();
    const pdfs = drawn < mix.ownPdf
      ? ["own" as const]
      : drawn < mix.ownPdf + mix.sharedPdf
      ? ["shared" as const]
      : [];
    return { email: `n${n}@${run}.example`, n, pdfs };
  };
  while (good < messages) {
    const kind = kindOf(random.next());
    const size = random.chance(mix.bulk)
      ? random.integer(11, 40)
      : random.chance(0.3)
      ? random.integer(2, 6)
      : 1;
    const mails = Array.from({ length: Math.min(size, messages - good) }, mail);
    orders.push({ key: `${run}-${orders.length}`, kind, mails });
    if (kind === "good" || kind === "duplicate") good += mails.length;
  }
  return orders;
}

function kindOf(drawn: number): OrderKind {
  if (drawn < 0.04) return "duplicate";
  if (drawn < 0.06) return "abandoned";
  return drawn < 0.08 ? "refused" : "good";
}
