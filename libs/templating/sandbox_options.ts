/** Limits of a sandbox. */
export interface SandboxOptions {
  /** Processes. @default as many as cores, at most 4 */
  readonly workers?: number;
  /**
   * Time limit of one fill, including compilation. Up to ten times as much may pass if the machine is so busy
   * that a worker gets less than half of the limit as processor time (on Linux). @default {2000}
   */
  readonly timeLimitMs?: number;
  /** Time limit of checking or publishing one template, in milliseconds. @default {15000} */
  readonly publishTimeLimitMs?: number;
  /** JavaScript heap of one worker, in MB. @default {256} */
  readonly memoryMb?: number;
  /** Characters of one fill, all its parts together. @default {5000000} */
  readonly outputLimit?: number;
  /** Fills in one message to a worker. @default {50} */
  readonly batchSize?: number;
  /** Compiled templates that each worker keeps. @default {500} */
  readonly keptTemplates?: number;
  /** The weight of these: their characters, and 1,000 for each placeholder. @default {50000000} */
  readonly keptWeight?: number;
  /**
   * Workers that slow owners, checks and publishing leave free for others. @default 1, or 0 if there is only
   * one worker
   */
  readonly reserved?: number;
}

/** Counters since the sandbox was opened, and its current state. */
export interface SandboxStats {
  readonly workers: number;
  readonly busy: number;
  readonly queued: number;
  readonly fills: number;
  readonly failed: number;
  readonly timeouts: number;
  readonly outOfMemory: number;
  readonly restarts: number;
}

/** Names the account for which a template is checked or published. */
export interface CallOptions {
  /** As in {@linkcode FillRequest}. */
  readonly owner?: string;
}
