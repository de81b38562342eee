import type { Random } from "./random.ts";

/** Where in a session a fault strikes. */
export const SMTP_STAGES = [
  "connect",
  "ehlo",
  "mail",
  "rcpt",
  "data",
  "body",
  "dot",
  "quit",
] as const;

/** Where in a session a fault strikes. */
export type SmtpStage = (typeof SMTP_STAGES)[number];

/**
 * What happens: a reply of that class; `421` and the end of the connection; `drop` without a word;
 * `forget`, a drop of a mail that is lost with it; `reset`, a reply that is cut off on its way; `slow`,
 * the reply byte by byte.
 */
export type SmtpFaultKind = "4xx" | "5xx" | "421" | "drop" | "forget" | "reset" | "slow";

/** A fault and the share of the passes through its stage that it strikes. */
export interface SmtpFault {
  stage: SmtpStage;
  kind: SmtpFaultKind;
  share: number;
}

/** Draws the fault of one pass through a stage. */
export function drawFault(
  faults: readonly SmtpFault[],
  stage: SmtpStage,
  random: Random,
): SmtpFaultKind | undefined {
  let drawn = random.next();
  for (const fault of faults) {
    if (fault.stage !== stage) continue;
    if (drawn < fault.share) return fault.kind;
    drawn -= fault.share;
  }
  return undefined;
}

const FITTING: Record<SmtpStage, readonly SmtpFaultKind[]> = {
  connect: ["4xx", "5xx", "421", "drop", "slow"],
  ehlo: ["421", "drop", "slow"],
  mail: ["4xx", "5xx", "421", "drop", "slow"],
  rcpt: ["4xx", "5xx", "421", "drop", "slow"],
  data: ["4xx", "5xx", "421", "drop", "slow"],
  body: ["drop"],
  dot: ["4xx", "5xx", "421", "slow"],
  quit: ["421", "drop", "slow"],
};

/** Every fault after which the mailer knows where it stands, each with the same share. */
export function clearFaults(share: number): SmtpFault[] {
  return SMTP_STAGES.flatMap((stage) => FITTING[stage].map((kind) => ({ stage, kind, share })));
}

/** The faults after the final dot that leave the mailer in doubt. */
export function doubtfulFaults(share: number): SmtpFault[] {
  return (["drop", "forget", "reset"] as const).map((kind) => ({ stage: "dot", kind, share }));
}
