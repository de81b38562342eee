import { spawnSync } from "node:child_process";

/** Programs that some tests use if the machine has them; `.ci/run` installs them. */
const WANTED = [{
  program: "pdftotext",
  loss: "PDFs are read by PDF.js alone; install poppler-utils",
}, {
  program: "smtp-sink",
  loss: "the mailer meets no server but our own; install postfix, and be root to run it",
}, {
  program: "promtool",
  loss: "no alert is seen to fire; install prometheus",
}];

/** Reports each program that is missing, with the tests that are skipped for it. */
export function reportMissingPrograms(say: (line: string) => void): void {
  for (const { program, loss } of WANTED) {
    if (spawnSync(program, ["-v"], { stdio: "ignore" }).error === undefined) continue;
    say(`SKIPPED for want of "${program}": ${loss}`);
  }
}
