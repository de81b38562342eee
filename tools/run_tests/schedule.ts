import { isHeavy, isPure, type Needs } from "./needs.ts";

/** A test file to run. */
export interface PlannedFile {
  file: string;
  needs: Needs;
  /** Length of its source in characters: the longer, the longer it usually takes. */
  length: number;
}

/** The situation in which the next file is chosen. */
export interface Situation {
  /** Cores of the machine. */
  cores: number;
  /** Idle share of the processor since the last start, from 0 to 1. */
  idle: number;
  running: readonly PlannedFile[];
  /** Whether the database and the dashboard's build are ready, which all but pure files need. */
  isPrepared: boolean;
  /** Whether the shared system runs. */
  hasSystem: boolean;
}

/** Maximum concurrent files for each core: waiting files leave the processor to others. */
const MAX_PER_CORE = 4;

/**
 * Files for each core that may run however busy the processor is, until one of them is heavy: a light one waits half of its
 * time, and has ended before an idle processor shows.
 */
const LIGHT_PER_CORE = 2;

/** Below this idle share, another file would only take time from the running ones. */
const MIN_IDLE = 0.1;

/** Systems and browsers wait half of the time: above this idle share, one more may start. */
const MIN_IDLE_HEAVY = 0.25;

/** Returns the files in the order in which they start: those that take long come first. */
export function orderFiles(files: readonly PlannedFile[]): PlannedFile[] {
  return files.toSorted((one, other) =>
    rankOf(one.needs) - rankOf(other.needs) || other.length - one.length
  );
}

/** Returns the next of the waiting files, or undefined while none may start. */
export function nextFile(
  waiting: readonly PlannedFile[],
  { cores, idle, running, isPrepared, hasSystem }: Situation,
): PlannedFile | undefined {
  const heavy = running.filter(({ needs }) => isHeavy(needs)).length;
  const always = heavy === 0 ? LIGHT_PER_CORE * cores : cores;
  if (running.length >= always && (idle < MIN_IDLE || running.length >= MAX_PER_CORE * cores)) {
    return undefined;
  }
  const maxHeavy = cores + (idle >= MIN_IDLE_HEAVY ? 1 : 0);
  return waiting.find(({ needs }) =>
    (isPrepared || isPure(needs)) &&
    (hasSystem || !needs.sharedSystem) &&
    (heavy < maxHeavy || !isHeavy(needs))
  );
}

function rankOf(needs: Needs): number {
  if (needs.sharedSystem) return 0;
  if (needs.long) return 1;
  if (needs.ownSystem) return 2;
  if (needs.browser) return 3;
  if (needs.programs) return 4;
  return needs.database ? 5 : 6;
}
