import type { ReadUse, TemplateRead } from "@posthaste/contracts";
import type { BlockStatement, Node, PathExpression } from "./_handlebars.ts";
import { type Call, callsHelper, type TemplateParts } from "./check_template.ts";
import { namedFields } from "./_named_fields.ts";
import { childrenOf, parseTemplate } from "./_parse_template.ts";
import { type Context, entered, entersContext, resolve, type Scope } from "./_scope.ts";
import { TEMPLATE_PARTS } from "./template_error.ts";

/** The most reads to record for one template. */
const MAX_READS = 2000;
const MAX_PATH = 500;

const TEXT_HELPERS = ["upper", "lower", "trim", "breaks", "urlEncode"];
const CHOICES = ["and", "or", "default"];
const NUMBER_HELPERS = [
  ...["number", "currency", "percent", "plural", "round"],
  ...["add", "subtract", "multiply", "divide"],
];
const LIST_HELPERS = ["join", "sum"];

type Report = (path: string, use: ReadUse, isCertain: boolean) => void;

/** The surroundings of a node. */
interface Place {
  scope: Scope;
  /** The use of an expression's value here. */
  use: ReadUse;
  /** Whether every path through the template reaches this place. */
  isCertain: boolean;
}

/**
 * Returns the values that the syntax trees of a template read, and their uses, in the order of first use.
 * Parts that cannot be parsed are left out.
 */
export function templateReads(parts: TemplateParts): TemplateRead[] {
  const found = new Map<string, TemplateRead>();
  const report: Report = (path, use, isCertain) => {
    const read = found.get(path) ?? { path, uses: [], always: false };
    if (path.length > MAX_PATH || !found.has(path) && found.size >= MAX_READS) return;
    found.set(path, read);
    if (!read.uses.includes(use)) read.uses.push(use);
    if (use === "printed" && isCertain) read.always = true;
  };
  for (const part of TEMPLATE_PARTS) {
    const { ast } = parseTemplate(part, parts[part] ?? "");
    const scope = { contexts: [[]], names: new Map() };
    if (ast) walk(ast, { scope, use: "printed", isCertain: true }, report);
  }
  return [...found.values()];
}

function walk(node: Node, place: Place, report: Report): void {
  if (node.type === "PathExpression") return reportPath(node as PathExpression, place, report);
  if (node.type === "BlockStatement") return walkBlock(node as BlockStatement, place, report);
  // A partial has parameters, but calls nothing; its use of them is not known here.
  const isPartial = node.type.startsWith("Partial");
  if (!isPartial && "params" in node && callsHelper(node as Call)) {
    return walkCall(node as Call, place, report);
  }
  const inner: Place = isPartial ? { ...place, use: "tested", isCertain: false } : place;
  for (const child of childrenOf(node)) walk(child, inner, report);
}

function reportPath(path: PathExpression, place: Place, report: Report): void {
  reportSteps(resolve(path, place.scope), place, report);
}

function reportSteps(steps: Context, { use, isCertain }: Place, report: Report): void {
  if (steps === undefined || steps[0] === undefined || steps[0] === "[]") return;
  report(steps.join(".").replaceAll(".[]", "[]"), use, isCertain);
}

function walkCall(call: Call, place: Place, report: Report): void {
  const name = (call.path as PathExpression).original;
  const isChoice = CHOICES.includes(name);
  call.params.forEach((param, index) => {
    const use = isChoice ? place.use : useOf(name, index);
    walk(param, { ...place, use, isCertain: place.isCertain && !isChoice }, report);
  });
  if (call.hash) walk(call.hash, { ...place, use: "tested", isCertain: false }, report);
  for (const { steps } of namedFields(call, place.scope)) {
    // A list may be empty, and a looked up field is used as the value of the call.
    const inner: Place = name === "sum" ? { ...place, use: "number", isCertain: false } : place;
    reportSteps(steps, inner, report);
  }
}

function useOf(helper: string, index: number): ReadUse {
  if (helper === "date") return index === 0 ? "date" : "tested";
  if (TEXT_HELPERS.includes(helper)) return "printed";
  if (NUMBER_HELPERS.includes(helper)) {
    return helper === "currency" && index === 1 ? "tested" : "number";
  }
  return LIST_HELPERS.includes(helper) && index === 0 ? "iterated" : "tested";
}

function walkBlock(block: BlockStatement, place: Place, report: Report): void {
  const name = (block.path as PathExpression).original;
  const isNaming = name === "each" || name === "with";
  const use = name === "each" ? "iterated" : "tested";
  for (const param of block.params) walk(param, { ...place, use, isCertain: false }, report);
  if (block.hash) walk(block.hash, { ...place, use: "tested", isCertain: false }, report);
  const isLet = name === "let";
  const inner = {
    ...place,
    scope: entersContext(name) ? entered(block, place.scope) : place.scope,
  };
  const [shown, other] = [branch(block.program, inner), branch(block.inverse, place)];
  const isCertain = (path: string) =>
    !isNaming && place.isCertain && shown.certain.has(path) && (isLet || other.certain.has(path));
  for (const [path, use] of [...shown.reads, ...other.reads]) report(path, use, isCertain(path));
}

/** Returns what one branch reads, and what it certainly prints once it is entered. */
function branch(program: Node | undefined, place: Place) {
  const reads: [string, ReadUse][] = [];
  const certain = new Set<string>();
  const note: Report = (path, use, isCertain) => {
    reads.push([path, use]);
    if (isCertain && use === "printed") certain.add(path);
  };
  if (program) walk(program, { ...place, use: "printed", isCertain: true }, note);
  return { reads, certain };
}

/** Joins the reads of several parts of a template: a PDF's body and its file name. */
export function joinReads(...lists: (readonly TemplateRead[])[]): TemplateRead[] {
  const found = new Map<string, TemplateRead>();
  for (const { path, uses, always } of lists.flat()) {
    const before = found.get(path);
    found.set(path, {
      path,
      uses: [...new Set([...before?.uses ?? [], ...uses])],
      always: always || (before?.always ?? false),
    });
  }
  return [...found.values()];
}
