import { spawnSync } from "node:child_process";
import process from "node:process";

/** What some tests use if the machine has it: a program, or a folder that a variable names. */
interface Wanted {
  program?: string;
  variable?: string;
  /** What is not tested without it, and how to get it. */
  loss: string;
}

/** `.ci/run` installs these. */
const WANTED: readonly Wanted[] = [{
  program: "pdftotext",
  loss: "PDFs are read by PDF.js alone; install poppler-utils",
}, {
  program: "smtp-sink",
  loss: "the mailer meets no server but our own; install postfix, and be root to run it",
}, {
  program: "promtool",
  loss: "no alert is seen to fire; install prometheus",
}, {
  program: "qpdf",
  loss: "no archived, encrypted or joined PDF is checked; install qpdf",
}, {
  program: "xmllint",
  loss: "no invoice is validated by its schema; install libxml2-utils",
}];

/** Few machines have these: only a run of all tests names them. See docs/tests.md. */
const WANTED_AT_NIGHT: readonly Wanted[] = [{
  program: process.env["VERAPDF"] ?? "verapdf",
  loss: "no PDF/A is validated; install veraPDF, or name it in VERAPDF",
}, {
  variable: "EN16931_RULES",
  loss: "no invoice is checked by the rules of EN 16931; name a clone of them",
}, {
  variable: "PUBLIC_TEMPLATES",
  loss: "no template of others is converted; name a folder with their clones",
}];

/** Reports each program and folder that is missing, with the tests that are skipped for it. */
export function reportMissingPrograms(
  say: (line: string) => void,
  { night }: { night: boolean },
): void {
  for (const wanted of [...WANTED, ...night ? WANTED_AT_NIGHT : []]) {
    if (!isMissing(wanted)) continue;
    say(`SKIPPED for want of "${wanted.program ?? wanted.variable}": ${wanted.loss}`);
  }
}

function isMissing({ program, variable }: Wanted): boolean {
  if (variable !== undefined) return process.env[variable] === undefined;
  // Not started: a program in Java takes a second.
  return spawnSync("sh", ["-c", 'command -v "$0"', program ?? ""]).status !== 0;
}
