import type { FaultAction, FaultStage } from "@posthaste/kit";
import type { Random } from "../random.ts";

/** A fault of a server, and its share of the passes through its stage. */
export interface SmtpFault {
  stage: FaultStage;
  action: FaultAction;
  share: number;
}

/** Draws the fault of one pass through a stage. */
export function drawFault(
  faults: readonly SmtpFault[],
  stage: FaultStage,
  random: Random,
): FaultAction | undefined {
  let drawn = random.next();
  for (const fault of faults) {
    if (fault.stage !== stage) continue;
    if (drawn < fault.share) return fault.action;
    drawn -= fault.share;
  }
  return undefined;
}

const LATER = { do: "reply", reply: "451 4.7.1 Try again later" } as const;
const NEVER = { do: "reply", reply: "550 5.7.1 Not taken" } as const;
const SHUTDOWN = { do: "reply", reply: "421 4.3.2 Service not available" } as const;
const CLOSE = { do: "close" } as const;
const RESET = { do: "reset" } as const;
const TRICKLE = { do: "trickle", ms: 3 } as const;

const COMMAND: readonly FaultAction[] = [LATER, NEVER, SHUTDOWN, CLOSE, RESET, TRICKLE];

/** The faults of each stage after which the mailer knows whether the mail was accepted. */
const CLEAR: Partial<Record<FaultStage, readonly FaultAction[]>> = {
  connect: [CLOSE, RESET],
  greeting: [LATER, NEVER, SHUTDOWN, CLOSE, TRICKLE],
  ehlo: [SHUTDOWN, CLOSE, RESET, TRICKLE],
  starttls: [{ do: "reply", reply: "454 4.7.0 No TLS now" }, CLOSE, RESET],
  tls: [CLOSE, RESET, { do: "garbage" }],
  auth: [{ do: "reply", reply: "454 4.7.0 Temporary failure" }, SHUTDOWN, CLOSE, TRICKLE],
  mail: COMMAND,
  rcpt: COMMAND,
  data: COMMAND,
  body: [CLOSE, RESET, { do: "reset", atByte: 700 }, { do: "close", atByte: 2000 }],
  dot: [LATER, NEVER, SHUTDOWN, TRICKLE, { do: "delay", ms: 200 }],
  rset: [SHUTDOWN, CLOSE],
  quit: [SHUTDOWN, CLOSE, RESET, TRICKLE],
};

/** Returns every fault with a known outcome, each with the same share. */
export function clearFaults(share: number): SmtpFault[] {
  return Object.entries(CLEAR).flatMap(([stage, actions]) =>
    actions.map((action) => ({ stage: stage as FaultStage, action, share }))
  );
}

/** Returns the faults after the final dot with an unknown outcome. */
export function unknownOutcomeFaults(share: number): SmtpFault[] {
  return ([CLOSE, RESET, { do: "reply_then_reset" }] as const)
    .map((action) => ({ stage: "dot", action, share }));
}
