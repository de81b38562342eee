import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why tests of attached invoices are skipped, or `false`. */
export const NO_PDFDETACH: string | false = spawnSync("pdfdetach", ["-v"]).error === undefined
  ? false
  : "NO PDFDETACH, NO INVOICE IS READ: install poppler-utils";

/** Returns the invoice in a PDF, as another program reads it. */
export async function attachedInvoice(pdf: Uint8Array): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-invoice-"));
  try {
    await writeFile(join(folder, "a.pdf"), pdf);
    execFileSync("pdfdetach", ["-saveall", "a.pdf"], { cwd: folder });
    return await readFile(join(folder, "factur-x.xml"), "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}
