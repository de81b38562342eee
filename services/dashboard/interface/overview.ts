import type { CauseView } from "./messages.ts";

/** The times that an overview can be of. */
export const OVERVIEW_RANGES = ["24h", "7d", "30d"] as const;

/** A time that an overview can be of. */
export type OverviewRange = (typeof OVERVIEW_RANGES)[number];

/** What happened within some minutes; what is empty is left out. */
export interface CountsView {
  /** When it begins, ISO 8601. */
  at: string;
  accepted: number;
  sent: number;
  failed: number;
  deferred: number;
  unknown: number;
}

/** The queue of a stage, of all accounts together. */
export interface StageView {
  stage: "render" | "print" | "mail";
  waiting: number;
  inHand: number;
  /** Since when the oldest waits; null if none does. */
  oldestAt: string | null;
}

/** How long a stage's work takes, by the account's newest messages. */
export interface DurationView {
  stage: "render" | "print" | "mail";
  count: number;
  p50Ms: number;
  p95Ms: number;
}

/** Something that a person should look at. */
export interface AttentionView {
  kind: "suspended" | "unreachable" | "failures" | "waiting" | "token" | "unpublished";
  severity: "error" | "warning" | "info";
  title: string;
  detail: string;
  /** Where to look, in the application. */
  path: string;
}

/** A step that a new account has to take. */
export interface SetupStep {
  step: "integration" | "template" | "token" | "mail";
  isDone: boolean;
}

/** `GET /api/overview?range=24h|7d|30d`; takes a viewer. */
export interface OverviewView {
  /** When it was looked at; the counts reach from the range before it. */
  at: string;
  counts: CountsView[];
  stages: StageView[];
  durations: DurationView[];
  attention: AttentionView[];
  causes: CauseView[];
  setup: SetupStep[];
}
