import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { Parser } from "htmlparser2";

const run = promisify(execFile);

/** A clone of `ConnectingEurope/eInvoicing-EN16931`. No package contains the rules, and none is copied here. */
const CLONE = process.env["EN16931_RULES"];

/** Its Schematron rules for Cross Industry Invoice, as XSLT 2.0. */
const STYLESHEET = join(CLONE ?? "", "cii/xslt/EN16931-CII-validation.xslt");

/** The class path of Saxon-HE: by default that of Debian's package. */
const SAXON = process.env["SAXON_JAR"] ?? "/usr/share/java/Saxon-HE.jar";

/** Why tests of the rules are skipped, or `false`. */
export const NO_RULES: string | false = missing();

function missing(): string | false {
  const loss = "NO RULE OF EN 16931 IS TESTED";
  if (CLONE === undefined) {
    return `${loss}: EN16931_RULES names no clone of ConnectingEurope/eInvoicing-EN16931`;
  }
  if (!existsSync(STYLESHEET)) return `${loss}: there is no ${STYLESHEET}`;
  if (!SAXON.split(":").every(existsSync) || spawnSync("java", ["-version"]).error !== undefined) {
    return `${loss}: install libsaxonhe-java and a Java, or set SAXON_JAR`;
  }
  return false;
}

/**
 * Returns the ids of the fatal rules of EN 16931 that each invoice breaks, sorted.
 *
 * @throws {Error} Saxon cannot read an invoice, or no rule matched anything in it.
 */
export async function brokenRules(
  invoices: ReadonlyMap<string, string>,
): Promise<Map<string, string[]>> {
  const folder = await mkdtemp(join(tmpdir(), "posthaste-rules-"));
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  try {
    await mkdir(from);
    await mkdir(to);
    const names = [...invoices.keys()];
    for (const [index, name] of names.entries()) {
      await writeFile(join(from, `${index}.xml`), invoices.get(name) ?? "");
    }
    // All in one process: Java and the 700 kB of rules take a second to start.
    const command = ["net.sf.saxon.Transform", `-s:${from}`, `-o:${to}`, `-xsl:${STYLESHEET}`];
    await run("java", ["-cp", SAXON, ...command]);
    const reports = names.map((_, index) => readFile(join(to, `${index}.xml`), "utf8"));
    const broken = (await Promise.all(reports)).map(readReport);
    return new Map(names.map((name, index) => [name, broken[index] ?? []]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Reads a report in SVRL, the report language of Schematron. */
function readReport(svrl: string): string[] {
  const broken = new Set<string>();
  let matched = 0;
  const parser = new Parser({
    onopentag(name, { id = "", flag }) {
      if (name === "svrl:fired-rule") matched++;
      if (name === "svrl:failed-assert" && flag === "fatal") broken.add(id);
    },
  }, { xmlMode: true });
  parser.end(svrl);
  // Rules that match nothing find no fault either.
  if (matched === 0) throw new Error("Cannot judge an invoice: no rule matches anything in it");
  return [...broken].toSorted();
}
