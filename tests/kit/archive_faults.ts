import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";

/** The validator. Neither npm nor Debian has it. */
const PROGRAM = process.env["VERAPDF"] ?? "verapdf";

/** Why tests of PDF/A are skipped, or `false`. It is not started to find out: Java takes a second. */
export const NO_VERAPDF: string | false =
  spawnSync("sh", ["-c", 'command -v "$0"', PROGRAM]).status === 0
    ? false
    : "NO VERAPDF, NO PDF/A IS VALIDATED: install veraPDF, or name it in VERAPDF";

/** Validates a PDF as PDF/A-3b. Returns what veraPDF reports; empty if it finds no fault. */
export async function archiveFaults(pdf: Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-archive-"));
  try {
    const file = join(folder, "a.pdf");
    await writeFile(file, pdf);
    const args = ["--flavour", "3b", "--format", "text", "--verbose", file];
    const { status, stdout, stderr } = spawnSync(PROGRAM, args, { encoding: "utf8" });
    return status === 0 && stdout.startsWith("PASS ")
      ? ""
      : `${stdout}${stderr}exit code ${status}`;
  } finally {
    await rm(folder, { recursive: true });
  }
}
