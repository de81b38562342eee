/** The facts about a server that did not start. */
export interface StartFailure {
  /** Name of the program, such as `mongod`. */
  program: string;
  port: number;
  dataDir: string;
  /** Everything that the program wrote, from the start. */
  log: string;
  /** How it ended, such as `ended with code 48`, or that it did not answer in time. */
  end: string;
}

const LAST_LINES = 8;

/** Returns whether a server did not start because its port was in use. */
export function isPortTaken(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === "EADDRINUSE";
}

/**
 * Returns an error that contains, in one sentence, why a server did not start and what to do about it. If the
 * log contains no known cause, its last lines follow.
 */
export function startFailure(failure: StartFailure): Error {
  const { program, port, dataDir, log } = failure;
  const cannot = `Cannot start ${program} on port "${port}": `;
  const library = /error while loading shared libraries: ([^\s:]+)/.exec(log)?.[1];
  if (library !== undefined) return new Error(cannot + missingLibrary(library));
  if (/address already in use/i.test(log)) {
    const reason = "another program uses it; stop that program or choose another port";
    return Object.assign(new Error(cannot + reason), { code: "EADDRINUSE" });
  }
  if (/no space left on device|ENOSPC/i.test(log)) {
    return new Error(`${cannot}the disk that holds "${dataDir}" is full; free some space there`);
  }
  if (/DBPathInUse|another mongod instance/i.test(log)) {
    return new Error(`${cannot}another ${program} uses the data in "${dataDir}"; stop it first`);
  }
  if (/permission denied/i.test(log)) {
    return new Error(`${cannot}no permission for "${dataDir}"; make it writable for this user`);
  }
  return new Error(`${cannot}it ${failure.end}; its last output was:\n${lastLines(log)}`);
}

/** Returns a sentence if the system lacks a library that a downloaded program needs. */
export function missingLibrary(library: string): string {
  const remedy = library.startsWith("libcurl")
    ? "install it (Debian, Ubuntu: apt-get install libcurl4)"
    : "install it with the package manager of this system";
  return `the system library "${library}" is missing; ${remedy}`;
}

function lastLines(log: string): string {
  const lines = log.trimEnd().split("\n").filter((line) => line !== "");
  if (lines.length === 0) return "  (nothing)";
  return lines.slice(-LAST_LINES).map((line) => `  ${line.slice(0, 300)}`).join("\n");
}
