/**
 * Where in a session a faulty server may misbehave, in the order of a session. `connect` is before
 * any byte, `tls` when the client begins its handshake, `body` between the reply to DATA and the
 * final dot, `dot` in place of the answer to it.
 */
export const FAULT_STAGES = [
  "connect",
  "greeting",
  "ehlo",
  "starttls",
  "tls",
  "auth",
  "mail",
  "rcpt",
  "data",
  "body",
  "dot",
  "rset",
  "quit",
] as const;

/** One of {@linkcode FAULT_STAGES}. */
export type FaultStage = (typeof FAULT_STAGES)[number];

/**
 * What a faulty server does in place of the right thing; "the right reply" is what it would have said.
 *
 * - `reply`: says this instead, code first; after a 421 it ends the session.
 * - `close`, `reset`: FIN or RST without a word. `silence`: keeps the connection and says nothing.
 * - `delay`: the right reply after `ms`. `trickle`: the right reply, each byte a packet, `ms` apart.
 * - `reply_then_close`, `reply_then_reset`: the right reply, then FIN or RST immediately.
 * - `endless`: `250-` lines for ever. `blank`: empty lines for ever. `long_line`: a line of `bytes`
 *   (10 MB if not said). `nul`: the right reply with NUL bytes in it.
 * - `stall`: reads nothing for `ms`, then goes on as if nothing had been.
 * - `extra`: the right reply and one more, `reply`, that nobody asked for.
 * - `strip`, at `ehlo` only: hides STARTTLS and refuses it.
 * - `inject`, at `starttls` only: plaintext right behind the 220.
 * - `garbage`, at `tls` only: text in place of the handshake.
 *
 * At `connect` and `tls` only what needs no reply is possible. `atByte`, at `body` only: after how
 * many bytes of the content, 1 if not said.
 */
export type FaultAction =
  & { readonly atByte?: number }
  & (
    | { readonly do: "reply" | "extra"; readonly reply: string }
    | {
      readonly do:
        | "close"
        | "reset"
        | "silence"
        | "reply_then_close"
        | "reply_then_reset"
        | "endless"
        | "blank"
        | "nul"
        | "strip"
        | "garbage";
    }
    | { readonly do: "delay" | "trickle" | "stall"; readonly ms: number }
    | { readonly do: "long_line"; readonly bytes?: number }
    | { readonly do: "inject"; readonly text: string }
  );

/** The input of a plan. */
export interface FaultMoment {
  readonly stage: FaultStage;
  /** The session, 1 for the first that connected. */
  readonly session: number;
  /** The sender at `mail`, the recipient from `rcpt` to `dot`, else empty. */
  readonly address: string;
  /** How often this stage was reached before, in all sessions. */
  readonly before: number;
  /** The Message-ID at `dot`, with its brackets. */
  readonly messageId: string | null;
}

/** Returns the fault of a server; `undefined` for none. */
export type FaultPlan = (moment: FaultMoment) => FaultAction | undefined;

/** One rule of a plan as data: where, what, and how often. */
export interface FaultRule {
  readonly stage: FaultStage;
  readonly action: FaultAction;
  /** Probability from 0 to 1, drawn from the seed. @default {1} */
  readonly chance?: number;
  /** Maximum number of times. */
  readonly times?: number;
  /** Only for this address, or the domain if it starts with `@`. */
  readonly address?: string;
}

/**
 * Returns a plan from rules: the first that matches decides. The same seed draws the same for the n-th time
 * that a stage is reached, regardless of what happens in between.
 */
export function planOf(rules: readonly FaultRule[], seed = 1): FaultPlan {
  const used = new Map<FaultRule, number>();
  return (moment) => {
    for (const [index, rule] of rules.entries()) {
      if (rule.stage !== moment.stage || !isFor(rule, moment.address)) continue;
      const times = used.get(rule) ?? 0;
      if (times >= (rule.times ?? Infinity)) continue;
      if (rule.chance !== undefined && draw(seed, index, moment.before) >= rule.chance) continue;
      used.set(rule, times + 1);
      return rule.action;
    }
    return undefined;
  };
}

function isFor({ address }: FaultRule, of: string): boolean {
  return address === undefined || address === of ||
    (address.startsWith("@") && of.endsWith(address));
}

/** Returns 0 to 1 from numbers: three rounds of the finalizer of MurmurHash3. */
function draw(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const number of numbers) {
    hash = Math.imul(hash ^ number, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}
