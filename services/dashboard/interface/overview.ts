import type { CauseView } from "./messages.ts";

/** The time ranges of an overview. */
export const OVERVIEW_RANGES = ["24h", "7d", "30d"] as const;

/** A time range of an overview. */
export type OverviewRange = (typeof OVERVIEW_RANGES)[number];

/** Counts of some minutes; empty ones are left out. */
export interface CountsView {
  /** When the interval begins, ISO 8601. */
  at: string;
  accepted: number;
  sent: number;
  failed: number;
  deferred: number;
  unknown: number;
}

/** The queue of a stage, over all accounts. */
export interface StageView {
  stage: "render" | "print" | "mail";
  waiting: number;
  inHand: number;
  /** Since when the oldest event waits; null if none does. */
  oldestAt: string | null;
}

/** How long a stage's work takes, measured on the account's newest messages. */
export interface DurationView {
  stage: "render" | "print" | "mail";
  count: number;
  p50Ms: number;
  p95Ms: number;
}

/** Something that needs a person's attention. */
export interface AttentionView {
  kind: "suspended" | "unreachable" | "failures" | "waiting" | "token" | "unpublished";
  severity: "error" | "warning" | "info";
  title: string;
  detail: string;
  /** Path of the page to open, in the application. */
  path: string;
}

/** A step in setting up a new account. */
export interface SetupStep {
  step: "integration" | "template" | "token" | "mail";
  isDone: boolean;
}

/** `GET /api/overview?range=24h|7d|30d`; requires a viewer. */
export interface OverviewView {
  /** When it was computed; the counts begin one range earlier. */
  at: string;
  counts: CountsView[];
  stages: StageView[];
  durations: DurationView[];
  attention: AttentionView[];
  causes: CauseView[];
  setup: SetupStep[];
}
