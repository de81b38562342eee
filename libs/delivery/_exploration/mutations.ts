import type { World } from "./world.ts";

/** One place in the protocol's source, and its replacement. */
export interface SourcePatch {
  /** A file of this library. */
  file: string;
  find: string;
  replace: string;
}

/** A way to break the protocol, or its use, that the exploration must find. */
export interface ProtocolMutation {
  name: string;
  description: string;
  /** Missing if the fault is in the use of the protocol: `world.fault` then names it. */
  patch?: SourcePatch;
  /** The world that reveals it. */
  world: World;
}

const ANY = ["deferred", "failed"] as const;

/** A stuck state shows only after the whole exploration: a second worker, and retries, would add nothing. */
const STUCK: Partial<World> = { workers: 1, policy: "hold" };

function world(more: Partial<World> = {}): World {
  return { name: "mutated", policy: "retry", ...more };
}

const REGISTER = '  return { phase: "register", n, register: { by, dot: true }, isAgain: false };';
const VOID = '  return { phase: "register", n, register: { by, void: outcome }, isAgain: false };';
const WITHOUT_VOID = '  return { phase: "outcome", n, outcome, certainty: "unknown" };';

/** Every mutation. */
export const PROTOCOL_MUTATIONS: readonly ProtocolMutation[] = [
  {
    name: "no-register",
    description: "the dot goes out without a register",
    patch: {
      file: "ending.ts",
      find: REGISTER,
      replace: '  return { phase: "dot", n, isLate: false };',
    },
    world: world({ isLenient: true }),
  },
  {
    name: "blind-outcome",
    description: "outcomes are written without their condition",
    world: world({ fault: "blind-outcome", isLenient: true }),
  },
  {
    name: "expire-early",
    description: "the scheduler does not wait for the reply time",
    patch: {
      file: "next_action.ts",
      find: "  return isOver ? {",
      replace: "  return isOver || true ? {",
    },
    world: world(),
  },
  {
    name: "next-first",
    description: "attempt n + 1 is dispatched before the unknown outcome of n is written",
    world: world({ fault: "next-first" }),
  },
  {
    name: "trust-cursor",
    description: "what the cursor has passed is not looked at again",
    patch: {
      file: "next_action.ts",
      find: "  if (!isWanted(message)) return",
      replace: "  if (message === undefined || !isWanted(message)) return",
    },
    world: world({ isScheduled: true, ...STUCK }),
  },
  {
    name: "publish-first",
    description: "published before the cursor moves, while sends may be moved",
    world: world({ fault: "publish-first", isScheduled: true, operation: "reschedule" }),
  },
  {
    name: "cancel-no-register",
    description: "cancel writes its outcome without taking the register",
    patch: { file: "ending.ts", find: VOID, replace: WITHOUT_VOID },
    world: world({ operation: "cancel" }),
  },
  {
    name: "fail-no-register",
    description: "a failure before the dot is written without the register",
    patch: { file: "ending.ts", find: VOID, replace: WITHOUT_VOID },
    world: world({ before: ANY }),
  },
  {
    name: "duplicate-is-mine",
    description: "after a lost answer another's register counts as one's own",
    patch: {
      file: "ending.ts",
      find: "answer.register.by !== register.by)",
      replace: "answer.register.by !== register.by && !ending.isAgain)",
    },
    world: world({ losesAnswers: true }),
  },
  {
    name: "duplicate-is-foreign",
    description: "after a lost answer one's own register counts as another's",
    patch: {
      file: "ending.ts",
      find: '  if (answer.type === "existing" && answer.register.by !== register.by) {',
      replace: '  if (answer.type === "existing") {',
    },
    world: world({ losesAnswers: true }),
  },
  {
    name: "no-deadline",
    description:
      "one's own register, found after a lost answer, counts although its time limit has passed",
    patch: {
      file: "ending.ts",
      find: 'answer.type === "existing" && isLate;',
      replace: 'answer.type === "existing" && isLate && false;',
    },
    world: world({ losesAnswers: true }),
  },
  {
    name: "one-member",
    description: "registers are acknowledged by one member, and may be rolled back",
    world: world({ fault: "one-member", isLenient: true }),
  },
  {
    name: "no-helper",
    description: "a register without a dot is left to who took it",
    patch: {
      file: "next_action.ts",
      find: 'return { do: "complete", n, outcome: register.void };',
      replace: 'return { do: "wait" };',
    },
    world: world({ before: ["failed"], refusals: [], ...STUCK }),
  },
  {
    name: "held-is-due",
    description: "what is held is dispatched like what is deferred",
    patch: {
      file: "next_action.ts",
      find: 'message.state === "deferred";\n}\n\n/** Returns whether a person may cancel',
      replace:
        'message.state === "deferred" || message.state === "unknown";\n}\n\n/** Returns whether a person may cancel',
    },
    world: world({ policy: "hold" }),
  },
  {
    name: "late-is-dropped",
    description: "a 250 that comes after the unknown outcome is dropped",
    patch: {
      file: "ending.ts",
      find: '  if (certainty === "accepted") return { phase: "late", n, outcome };\n',
      replace: "",
    },
    world: world(),
  },
  {
    name: "late-no-void",
    description: "a late 250 is written without closing the next attempt",
    patch: {
      file: "ending.ts",
      find: '  return { phase: "late_register", n, outcome, next: message.attempt + 1 };',
      replace: '  return { phase: "late_mark", n, outcome, known: message.attempt };',
    },
    world: world(),
  },
  {
    name: "no-tombstone",
    description: "a 503 is believed when the send is not there yet",
    world: world({ fault: "no-tombstone", operation: "withdraw", isPending: true }),
  },
  {
    name: "no-validity",
    description: "events have no end of validity",
    patch: {
      file: "ending.ts",
      find: "  return isValid && !isLate;",
      replace: "  return (isValid || true) && !isLate;",
    },
    world: world({ hasRetention: true }),
  },
  {
    name: "fail-over-after-unknown",
    description: "another integration is chosen after an unknown outcome",
    patch: {
      file: "choose_integration.ts",
      find: "  if (unknownAttempts.length > 0) return own.id;\n",
      replace: "",
    },
    world: world({ hasFallback: true, workers: 1 }),
  },
  {
    name: "fallback-retries",
    description: "what a fallback left unknown is retried by the policy of the send's integration",
    patch: {
      file: "attempt_policy.ts",
      find: 'isFallback ? "hold" : whenUnknown',
      replace: "whenUnknown",
    },
    world: world({ hasFallback: true, workers: 1 }),
  },
  {
    name: "nameless-register",
    description: "the register does not say that a fallback made the attempt",
    world: world({ hasFallback: true, workers: 1, fault: "nameless-register" }),
  },
];
