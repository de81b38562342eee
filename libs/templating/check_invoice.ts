import { setImmediate as nextTurn } from "node:timers/promises";
import type { InvoiceProfile } from "@posthaste/contracts";
import { SaxesParser } from "saxes";
import { clipped } from "./_clipped.ts";
import {
  DUE_PAYABLE,
  GRAND_TOTAL,
  type GroupRule,
  groupRules,
  GUIDELINE,
  GUIDELINES,
  ISSUE_DATE,
  PRESENT,
  requiredPaths,
  SUM_PATHS,
} from "./_invoice_rules.ts";

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

/** An invoice cannot be sent. The message is a reason for its author, without a final period. */
export class InvoiceError extends Error {
  override readonly name = "InvoiceError";
}

/** The longest XML, in characters, as the sandbox returns at most. 1,000 lines have about a million. */
const MAX_CHARACTERS = 5_000_000;

const MAX_DEPTH = 50;

/** Characters that are parsed before other work has its turn. */
const CHUNK = 64 * 1024;

/** The most characters of one text that a rule looks at. */
const MAX_TEXT = 1_000;

/** The longest name of an element that a rule may know. */
const MAX_NAME = 100;

const MAX_REASON = 500;

const CII = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100";
const NAMESPACES: readonly string[] = [
  CII,
  "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
  "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
  "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
];

/**
 * Checks an invoice: that it is well-formed XML without a document type, that it has what its profile
 * requires, and that its sums are numbers. It does not check every rule of EN 16931.
 *
 * @throws {InvoiceError}
 */
export async function checkInvoice({ xml, profile }: WrittenInvoice): Promise<CheckedInvoice> {
  if (xml.length > MAX_CHARACTERS) {
    throw fault(`it has ${xml.length} characters, more than ${MAX_CHARACTERS}`);
  }
  const reading = new Reading(groupRules(profile));
  for (let at = 0; at < xml.length; at += CHUNK) {
    reading.write(xml.slice(at, at + CHUNK));
    if (xml.length > CHUNK) await nextTurn();
  }
  const texts = reading.close();
  for (const path of requiredPaths(profile)) {
    if (!texts.get(path)) throw fault(`it lacks ${path}, which the profile requires`);
  }
  for (const path of PRESENT) {
    if (!texts.has(path)) throw fault(`it lacks ${path}, which the profile requires`);
  }
  checkValues(texts, profile);
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

/** Other paths are not kept: their names may be long, and as many as the XML has elements. */
const KNOWN: ReadonlySet<string> = new Set([...requiredPaths("extended"), ...PRESENT]);

/** The known paths, those in groups, and all above them: elements elsewhere have no path. */
const PATHS: ReadonlySet<string> = new Set(
  [
    ...KNOWN,
    ...groupRules("extended").concat(groupRules("en16931"))
      .flatMap(({ path, required }) => required.map((name) => `${path}/${name}`)),
  ].flatMap((path) => {
    const names = path.split("/");
    return names.map((_, index) => names.slice(0, index + 1).join("/"));
  }),
);

interface OpenGroup {
  rule: GroupRule;
  line: number;
  depth: number;
  missing: Set<string>;
}

/** Reads an invoice, and keeps the first text of each path that a rule knows. */
class Reading {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #rules: ReadonlyMap<string, GroupRule>;
  readonly #texts = new Map<string, string>();
  /** The paths of the open elements below the root; `undefined` for those that no rule knows. */
  readonly #open: (string | undefined)[] = [];
  #text = "";
  #group: OpenGroup | undefined;
  #hasRoot = false;

  constructor(rules: readonly GroupRule[]) {
    this.#rules = new Map(rules.map((rule) => [rule.path, rule]));
    const parser = this.#parser;
    parser.on("error", (error) => {
      throw fault(`it is not well-formed: ${error.message.replace(/^(\d+):\d+: /, "line $1: ")}`);
    });
    parser.on("doctype", () => {
      throw fault("it has a document type, which is not allowed");
    });
    parser.on("opentag", ({ local, uri }) => this.#begin(local, uri));
    parser.on("closetag", () => this.#end());
    const keep = (text: string) => {
      if (this.#text.length < MAX_TEXT) this.#text += text;
    };
    parser.on("text", keep);
    parser.on("cdata", keep);
  }

  write(part: string): void {
    this.#parser.write(part);
  }

  close(): ReadonlyMap<string, string> {
    this.#parser.close();
    return this.#texts;
  }

  #begin(name: string, namespace: string): void {
    if (!this.#hasRoot) {
      this.#hasRoot = true;
      if (name !== "CrossIndustryInvoice" || namespace !== CII) {
        throw fault(`its root is ${quoted(name)}, not CrossIndustryInvoice in ${CII}`);
      }
      return;
    }
    const path = this.#pathOf(name, namespace);
    this.#open.push(path);
    if (this.#open.length > MAX_DEPTH) throw fault(`it has more than ${MAX_DEPTH} levels`);
    this.#text = "";
    const rule = path === undefined ? undefined : this.#rules.get(path);
    if (rule === undefined) return;
    const { line } = this.#parser;
    const missing = new Set(rule.required);
    this.#group = { rule, line, depth: this.#open.length, missing };
  }

  /** Its cost does not grow with the depth, nor with long names: an invoice may have a million elements. */
  #pathOf(name: string, namespace: string): string | undefined {
    // A name in another namespace is another element.
    if (name.length > MAX_NAME || !NAMESPACES.includes(namespace)) return undefined;
    if (this.#open.length === 0) return PATHS.has(name) ? name : undefined;
    const above = this.#open.at(-1);
    const path = above === undefined ? "" : `${above}/${name}`;
    return PATHS.has(path) ? path : undefined;
  }

  #end(): void {
    if (this.#open.length === 0) return;
    const text = this.#text.trim();
    const path = this.#open.at(-1);
    const group = this.#group;
    if (group === undefined) this.#note(path, text);
    else if (this.#open.length > group.depth) {
      if (text !== "") group.missing.delete(path?.slice(group.rule.path.length + 1) ?? "");
    } else this.#endGroup(group);
    this.#open.pop();
    this.#text = "";
  }

  #note(path: string | undefined, text: string): void {
    if (path === undefined || !KNOWN.has(path)) return;
    // Readers could choose another one than the page shows.
    if (this.#texts.has(path) && SUM_PATHS.includes(path)) throw fault(`it has two of ${path}`);
    if (!this.#texts.has(path)) this.#texts.set(path, text);
  }

  #endGroup({ rule, line, missing }: OpenGroup): void {
    const [first] = missing;
    if (first !== undefined) {
      const reason = `lacks ${first}, which the profile requires`;
      throw fault(`${rule.path} in line ${line} of the filled XML ${reason}`);
    }
    this.#texts.set(rule.path, "present");
    this.#group = undefined;
  }
}

function fault(reason: string): InvoiceError {
  return new InvoiceError(clipped(`the invoice XML cannot be used: ${reason}`, MAX_REASON));
}

function quoted(text: string | undefined): string {
  return JSON.stringify(clipped(text ?? "", 100));
}
