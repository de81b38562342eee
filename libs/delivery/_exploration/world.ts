/** The setup of a small world. Options that are left out are off. */
export interface World {
  name: string;
  /** What happens to a message with an unknown outcome. */
  policy: "retry" | "hold";
  /** @default {1} */
  messages?: number;
  /** @default {2} */
  workers?: number;
  /** @default {1} */
  schedulers?: number;
  /** Outcomes without a dot that a worker may end an attempt with. */
  before?: readonly ("deferred" | "failed" | "suppressed")[];
  /** The server's refusals. @default {["4xx"]} */
  refusals?: readonly ("4xx" | "5xx")[];
  /** Requests to the database and its answers may be lost. */
  losesAnswers?: boolean;
  /** An operation of a person, or of the api when it withdraws a send, at any time. */
  operation?: "cancel" | "postpone" | "retry" | "reschedule" | "withdraw";
  /** The insert of the send is in progress. */
  isPending?: boolean;
  /** The send is scheduled: the cursor has not passed it. */
  isScheduled?: boolean;
  /** A cursor may fall back. */
  losesCursor?: boolean;
  /** A second integration may send in place of the send's own. Either may be healthy or not, at any time. */
  hasFallback?: boolean;
  /** Retention may delete the send at any time once it is settled. */
  hasRetention?: boolean;
  /** Faults in the use of the protocol, each of which the exploration must find. */
  fault?:
    | "blind-outcome"
    | "next-first"
    | "one-member"
    | "nameless-register"
    | "no-tombstone"
    | "publish-first";
  /** Leaves out the check that no outcome is recorded as unknown without a fault. */
  isLenient?: boolean;
}

const ANY = ["deferred", "failed"] as const;
const BOTH = ["4xx", "5xx"] as const;

/** Worlds that take seconds. */
export const SMALL_WORLDS: readonly World[] = [
  { name: "retry, one scheduler", policy: "retry" },
  {
    name: "one worker, 503 without key",
    policy: "retry",
    workers: 1,
    operation: "withdraw",
    isPending: true,
  },
  { name: "one worker, hold", policy: "hold", workers: 1, refusals: BOTH, before: ANY },
  { name: "one worker, cancel", policy: "retry", workers: 1, operation: "cancel" },
  { name: "one worker, answers lost", policy: "retry", workers: 1, losesAnswers: true },
  { name: "one worker, a person retries", policy: "hold", workers: 1, operation: "retry" },
  { name: "one worker, fail-over", policy: "retry", workers: 1, hasFallback: true },
];

/** All others: some take minutes. */
export const LARGE_WORLDS: readonly World[] = [
  {
    name: "one worker, suppressed, a person retries",
    policy: "retry",
    workers: 1,
    before: ["suppressed"],
    operation: "retry",
  },
  { name: "retry, two schedulers", policy: "retry", schedulers: 2 },
  { name: "503 without key", policy: "retry", operation: "withdraw", isPending: true },
  { name: "hold, two schedulers", policy: "hold", schedulers: 2 },
  { name: "retry, ends before the dot", policy: "retry", before: ANY, refusals: BOTH },
  { name: "hold, ends before the dot", policy: "hold", before: ANY, refusals: BOTH },
  { name: "answers of the database lost", policy: "retry", losesAnswers: true },
  { name: "answers lost, hold", policy: "hold", losesAnswers: true },
  { name: "cancel, retry", policy: "retry", operation: "cancel", before: ["failed"] },
  { name: "suppressed, hold", policy: "hold", before: ["suppressed"] },
  { name: "cancel, hold", policy: "hold", operation: "cancel", before: ["failed"] },
  { name: "postpone a retry", policy: "retry", operation: "postpone" },
  { name: "a person retries, hold", policy: "hold", operation: "retry", refusals: BOTH },
  { name: "a person retries, retry", policy: "retry", operation: "retry", refusals: ["5xx"] },
  {
    name: "503 without key, two schedulers",
    policy: "retry",
    operation: "withdraw",
    isPending: true,
    schedulers: 2,
  },
  {
    name: "scheduled, moved, two schedulers",
    policy: "retry",
    operation: "reschedule",
    isScheduled: true,
    schedulers: 2,
  },
  { name: "cursor lost", policy: "retry", isScheduled: true, losesCursor: true },
  { name: "retention", policy: "retry", hasRetention: true, losesCursor: true },
  { name: "retention, answers lost", policy: "hold", hasRetention: true, losesAnswers: true },
  { name: "two messages, one worker", policy: "hold", messages: 2, workers: 1, refusals: [] },
  { name: "fail-over, retry", policy: "retry", hasFallback: true, before: ["deferred"] },
  { name: "fail-over, hold", policy: "hold", hasFallback: true },
  {
    name: "fail-over, two schedulers",
    policy: "retry",
    workers: 1,
    schedulers: 2,
    hasFallback: true,
  },
  {
    name: "fail-over, answers lost",
    policy: "retry",
    workers: 1,
    hasFallback: true,
    before: ["deferred"],
    losesAnswers: true,
  },
  {
    name: "fail-over, a person retries",
    policy: "hold",
    workers: 1,
    hasFallback: true,
    refusals: [],
    operation: "retry",
  },
];
