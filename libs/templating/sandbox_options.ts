/** What a sandbox allows. */
export interface SandboxOptions {
  /** Processes. Default: as many as cores, at most 4. */
  readonly workers?: number;
  /**
   * For one fill, compiling included. Default 2,000 ms. Up to ten times of it may pass where the
   * machine is so busy that a worker gets less than half of the limit to work (on Linux).
   */
  readonly timeLimitMs?: number;
  /** For checking or publishing one template. Default 15,000 ms. */
  readonly publishTimeLimitMs?: number;
  /** JavaScript heap of one worker. Default 256. */
  readonly memoryMb?: number;
  /** Characters of one fill, all its parts together. Default 5,000,000. */
  readonly outputLimit?: number;
  /** Fills in one message to a worker. Default 50. */
  readonly batchSize?: number;
  /** Compiled templates that each worker keeps. Default 500. */
  readonly keptTemplates?: number;
  /** What these may weigh: their characters, and 1,000 for each placeholder. Default 50,000,000. */
  readonly keptWeight?: number;
  /**
   * Workers that slow owners, checks and publishing leave free for others. Default 1, or 0 if there
   * is one worker only.
   */
  readonly reserved?: number;
}

/** Counters since the sandbox was opened, and what it does now. */
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
