/** How a command ends, for scripts. */
export const EXIT = {
  /** It did what was asked. */
  ok: 0,
  /** Something did not work: no connection, a server's fault, mail that failed while watched. */
  failed: 1,
  /** It was called wrongly, or a setting is missing. */
  usage: 2,
  /** `posthaste diff` found a difference, as `diff` itself says with another number. */
  differs: 2,
  /** What it names does not exist. */
  notFound: 3,
  /** What was given is not valid, or was refused. */
  refused: 4,
  /** Ctrl-C at a question. */
  interrupted: 130,
} as const;

/** Number of an exit code. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
