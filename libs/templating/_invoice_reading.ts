import { SaxesParser, type SaxesTagNS } from "saxes";
import { CII, namespaceOf } from "./_cii_namespace.ts";
import { fault, type InvoiceError, quoted } from "./_invoice_error.ts";
import {
  CURRENCY,
  type GroupRule,
  groupRules,
  PRESENT,
  requiredPaths,
  SUM_PATHS,
} from "./_invoice_rules.ts";

const MAX_DEPTH = 50;

/** The most characters of one text that are kept. */
const MAX_TEXT = 1_000;

/** The longest name of an element that a rule may know. */
const MAX_NAME = 100;

/** What must not come twice: readers could choose another one than the page shows. */
const SINGLE: ReadonlySet<string> = new Set([...SUM_PATHS, CURRENCY]);

const GROUP_RULES = [...groupRules("extended"), ...groupRules("en16931")];

/** Other paths are not kept: their names may be long, and as many as the XML has elements. */
const KNOWN: ReadonlySet<string> = new Set([
  ...requiredPaths("extended"),
  ...SUM_PATHS,
  ...PRESENT,
]);

const KNOWN_IN_GROUPS = GROUP_RULES.flatMap(({ path, required, kept }) =>
  [...required, ...kept].filter((name) => !name.startsWith("@"))
    .map((name) => name === "" ? path : `${path}/${name}`)
);

/** The known paths, those in groups, and all above them: elements elsewhere have no path. */
const PATHS: ReadonlySet<string> = new Set(
  [...KNOWN, ...KNOWN_IN_GROUPS].flatMap((path) => {
    const names = path.split("/");
    return names.map((_, index) => names.slice(0, index + 1).join("/"));
  }),
);

/** The paths of elements that consist of text. */
const TEXT_PATHS: ReadonlySet<string> = new Set([...KNOWN, ...KNOWN_IN_GROUPS]).difference(
  new Set([
    ...PRESENT,
    ...GROUP_RULES.filter(({ kept }) => !kept.includes("")).map(({ path }) => path),
  ]),
);

/** What was kept of an element that may come often. */
export interface ReadGroup {
  /** Its path below the root. */
  path: string;
  /** Line of the filled XML. */
  line: number;
  /** Texts by what its rule keeps; those that it does not have are missing. */
  texts: ReadonlyMap<string, string>;
}

/** What was read of an invoice. */
export interface ReadInvoice {
  /** The first text of each path that a rule knows. A group has `present` as its text. */
  texts: ReadonlyMap<string, string>;
  /** By their path. */
  groups: ReadonlyMap<string, readonly ReadGroup[]>;
}

interface OpenElement {
  name: string;
  line: number;
  /** Below the root, which has an empty one; `undefined` for an element that no rule knows. */
  path: string | undefined;
  text: string;
  hasElements: boolean;
}

interface OpenGroup {
  rule: GroupRule;
  line: number;
  depth: number;
  missing: Set<string>;
  texts: Map<string, string>;
}

/** Reads an invoice in parts, and keeps what the rules know. */
export class InvoiceReading {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #rules: ReadonlyMap<string, GroupRule>;
  readonly #texts = new Map<string, string>();
  readonly #groups = new Map<string, ReadGroup[]>();
  readonly #open: OpenElement[] = [];
  #group: OpenGroup | undefined;

  constructor(rules: readonly GroupRule[]) {
    this.#rules = new Map(rules.map((rule) => [rule.path, rule]));
    const parser = this.#parser;
    parser.on("error", (error) => {
      throw fault(`it is not well-formed: ${error.message.replace(/^(\d+):\d+: /, "line $1: ")}`);
    });
    parser.on("xmldecl", checkDeclaration);
    parser.on("doctype", () => {
      throw fault("it has a document type, which is not allowed");
    });
    parser.on("opentag", (tag) => this.#begin(tag));
    parser.on("closetag", () => this.#end());
    parser.on("text", (text) => this.#keep(text));
    parser.on("cdata", (text) => this.#keep(text));
  }

  /** @throws {InvoiceError} */
  write(part: string): void {
    this.#parser.write(part);
  }

  /**
   * Ends the reading.
   *
   * @throws {InvoiceError}
   */
  close(): ReadInvoice {
    this.#parser.close();
    return { texts: this.#texts, groups: this.#groups };
  }

  #keep(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined) return;
    // The space between elements is not kept: an invoice of 1,000 lines has much of it.
    const more = element.text === "" ? text.replace(/^[ \t\r\n]+/, "") : text;
    if (element.text.length > MAX_TEXT) return;
    element.text += more;
    // The mark keeps a text that is cut from looking whole.
    if (element.text.length > MAX_TEXT) element.text = `${element.text.slice(0, MAX_TEXT)}…`;
  }

  #begin({ local, uri, attributes }: SaxesTagNS): void {
    const parent = this.#open.at(-1);
    const { line } = this.#parser;
    this.#open.push({
      ...{ name: local, line, text: "", hasElements: false },
      path: parent === undefined ? "" : pathOf(parent, local),
    });
    if (parent === undefined) checkRoot(local, uri);
    else this.#beginIn(parent, uri, attributes);
  }

  #beginIn(parent: OpenElement, uri: string, attributes: SaxesTagNS["attributes"]): void {
    const { name, line, path } = this.#open.at(-1) ?? parent;
    if (this.#open.length > MAX_DEPTH + 1) throw fault(`it has more than ${MAX_DEPTH} levels`);
    if (parent.path !== undefined && TEXT_PATHS.has(parent.path)) {
      throw fault(`${parent.path} ${placeOf(parent)} has an element inside, but must be a text`);
    }
    const namespace = namespaceOf(name, parent.name);
    if (uri !== namespace) {
      const place = placeOf({ line });
      throw fault(
        `${quoted(name)} ${place} is in the namespace ${quoted(uri)}, not in ${quoted(namespace)}`,
      );
    }
    parent.hasElements = true;
    const rule = path === undefined ? undefined : this.#rules.get(path);
    if (rule === undefined) return;
    const texts = new Map<string, string>();
    for (const name of rule.kept) {
      const attribute = name.startsWith("@") ? attributes[name.slice(1)] : undefined;
      if (attribute !== undefined) texts.set(name, attribute.value);
    }
    const missing = new Set(rule.required);
    this.#group = { rule, line, depth: this.#open.length, missing, texts };
  }

  #end(): void {
    const element = this.#open.at(-1);
    if (element === undefined) return;
    const text = withoutEndSpace(element.text);
    if (element.hasElements && text !== "") {
      throw fault(`${quoted(element.name)} ${placeOf(element)} has text beside elements`);
    }
    this.#note(element, text);
    this.#open.pop();
  }

  #note(element: OpenElement, text: string): void {
    const group = this.#group;
    if (group === undefined) return this.#noteText(element, text);
    const { rule, depth, missing, texts } = group;
    const name = element.path?.slice(rule.path.length + 1);
    if (name !== undefined && rule.kept.includes(name)) {
      if (texts.has(name)) throw secondOf(element);
      texts.set(name, text);
    }
    if (this.#open.length === depth) return this.#endGroup(group);
    if (text !== "" && name !== undefined) missing.delete(name);
  }

  #noteText(element: OpenElement, text: string): void {
    const { path } = element;
    if (path === undefined || !KNOWN.has(path)) return;
    if (!this.#texts.has(path)) this.#texts.set(path, text);
    else if (SINGLE.has(path)) throw secondOf(element);
  }

  #endGroup(group: OpenGroup): void {
    const { rule: { path }, line, missing, texts } = group;
    const [first] = missing;
    if (first !== undefined) {
      const reason = `lacks ${first}, which the profile requires`;
      throw fault(`${path} ${placeOf(group)} ${reason}`);
    }
    this.#texts.set(path, "present");
    const others = this.#groups.get(path) ?? [];
    if (others.length === 0) this.#groups.set(path, others);
    others.push({ path, line, texts });
    this.#group = undefined;
  }
}

/** A reader that believes a wrong declaration cannot read the file. */
function checkDeclaration({ encoding, version }: { encoding?: string; version?: string }): void {
  if (encoding !== undefined && encoding.toUpperCase() !== "UTF-8") {
    throw fault(`it declares the encoding ${quoted(encoding)}, but is sent as UTF-8`);
  }
  if (version !== undefined && version !== "1.0") {
    throw fault(`it declares the version ${quoted(version)} of XML, not 1.0`);
  }
}

function checkRoot(name: string, namespace: string): void {
  if (name === "CrossIndustryInvoice" && namespace === CII) return;
  throw fault(`its root is ${quoted(name)}, not CrossIndustryInvoice in ${CII}`);
}

/** Its cost does not grow with the depth, nor with long names: an invoice may have a million elements. */
function pathOf(parent: OpenElement, name: string): string | undefined {
  if (parent.path === undefined || name.length > MAX_NAME) return undefined;
  const path = parent.path === "" ? name : `${parent.path}/${name}`;
  return PATHS.has(path) ? path : undefined;
}

function secondOf(element: OpenElement): InvoiceError {
  return fault(`it has two of ${element.path}, the second ${placeOf(element)}`);
}

function placeOf({ line }: { line: number }): string {
  return `in line ${line} of the filled XML`;
}

/** Other white space is no white space in XML: a number with a no-break space is none. */
function withoutEndSpace(text: string): string {
  let end = text.length;
  while (end > 0 && " \t\r\n".includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
