import { setImmediate as nextTurn } from "node:timers/promises";
import type { InvoiceProfile } from "@posthaste/contracts";
import { amountsOf } from "./_invoice_amounts.ts";
import { fault, quoted, sumsFault } from "./_invoice_error.ts";
import { InvoiceReading } from "./_invoice_reading.ts";
import {
  DUE_PAYABLE,
  GRAND_TOTAL,
  groupRules,
  GUIDELINE,
  GUIDELINES,
  ISSUE_DATE,
  PRESENT,
  requiredPaths,
  SUM_PATHS,
} from "./_invoice_rules.ts";
import { brokenSums } from "./_invoice_sums.ts";

/** A filled invoice as XML (CII), and the profile that it must conform to. */
export interface WrittenInvoice {
  xml: string;
  profile: InvoiceProfile;
}

/** The sums of an invoice, as in its XML. */
export interface CheckedInvoice {
  grandTotal: string;
  duePayable: string;
}

/** The longest XML, in characters, as the sandbox returns at most. 1,000 lines have about a million. */
const MAX_CHARACTERS = 5_000_000;

/** Characters that are parsed before other work has its turn. */
const CHUNK = 64 * 1024;

/**
 * Checks an invoice: that it is well-formed XML in UTF-8 without a document type, that its elements are in
 * their namespaces, that it has what its profile requires, that its amounts are numbers, and that its sums
 * agree (BR-CO-10 to BR-CO-17). It does not check every rule of EN 16931.
 *
 * @throws {InvoiceError}
 */
export async function checkInvoice({ xml, profile }: WrittenInvoice): Promise<CheckedInvoice> {
  if (xml.length > MAX_CHARACTERS) {
    throw fault(`it has ${xml.length} characters, more than ${MAX_CHARACTERS}`);
  }
  refuseHalves(xml);
  const reading = new InvoiceReading(groupRules(profile));
  for (let at = 0; at < xml.length; at += CHUNK) {
    reading.write(xml.slice(at, at + CHUNK));
    if (xml.length > CHUNK) await nextTurn();
  }
  const read = reading.close();
  const { texts } = read;
  for (const path of requiredPaths(profile)) {
    if (!texts.get(path)) throw fault(`it lacks ${path}, which the profile requires`);
  }
  for (const path of PRESENT) {
    if (!texts.has(path)) throw fault(`it lacks ${path}, which the profile requires`);
  }
  checkValues(texts, profile);
  const [broken, ...others] = brokenSums(amountsOf(read), profile);
  if (broken !== undefined) throw sumsFault(broken.message, others.map(({ id }) => id));
  return { grandTotal: texts.get(GRAND_TOTAL) ?? "", duePayable: texts.get(DUE_PAYABLE) ?? "" };
}

function checkValues(texts: ReadonlyMap<string, string>, profile: InvoiceProfile): void {
  const guideline = texts.get(GUIDELINE);
  if (guideline !== GUIDELINES[profile]) {
    const wanted = GUIDELINES[profile];
    throw fault(
      `${GUIDELINE} is ${quoted(guideline)}, but the page options' profile has ${quoted(wanted)}`,
    );
  }
  const date = texts.get(ISSUE_DATE);
  if (!/^\d{8}$/.test(date ?? "")) throw fault(`${ISSUE_DATE} is ${quoted(date)}, not YYYYMMDD`);
  for (const path of SUM_PATHS) {
    const sum = texts.get(path);
    if (sum !== undefined && !/^-?\d{1,15}(?:\.\d{1,2})?$/.test(sum)) {
      throw fault(`${path} is ${quoted(sum)}, not a number such as 119.00`);
    }
  }
}

/** Sent as UTF-8, half of a character would become another one. */
function refuseHalves(xml: string): void {
  if (xml.isWellFormed()) return;
  const half = xml.search(/\p{Surrogate}/u);
  const line = xml.slice(0, half).split("\n").length;
  throw fault(`line ${line} has half of a character (a lone surrogate)`);
}
