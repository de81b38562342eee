/** How a command ends, for scripts. */
export const EXIT = {
  /** The command succeeded. */
  ok: 0,
  /** A failure: no connection, a server's fault, mail that failed while watched. */
  failed: 1,
  /** Wrong arguments, or a missing setting. */
  usage: 2,
  /** `posthaste diff` found a difference. `diff` itself has another number for it. */
  differs: 2,
  /** A named object does not exist. */
  notFound: 3,
  /** The input is invalid, or was refused. */
  refused: 4,
  /** Ctrl-C at a question. */
  interrupted: 130,
} as const;

/** Number of an exit code. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
