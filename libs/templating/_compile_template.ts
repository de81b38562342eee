import {
  type BlockStatement,
  handlebars,
  isScoped,
  type MustacheStatement,
  type Node,
  type PathExpression,
} from "./_handlebars.ts";
import { callsHelper, checkTemplate } from "./check_template.ts";
import {
  HELPER_FUNCTIONS,
  type HelperContext,
  HelperError,
  type HelperFunction,
} from "./_helpers.ts";
import { HELPERS } from "./helper_list.ts";
import { childrenOf, parseTemplate } from "./_parse_template.ts";
import { plainData, refuseObjects } from "./_plain_data.ts";
import { RenderError } from "./render_error.ts";

/** How values are inserted into the text of a template. */
export interface CompileOptions {
  /** `html` and `xml` escape each value; `none` is for subjects and plain text. */
  readonly escape: "html" | "xml" | "none";
  /** For dates, numbers and plurals if the template names no locale. @default {"en"} */
  readonly locale?: string;
  /** For dates if the template names no zone. @default {"UTC"} */
  readonly timeZone?: string;
  /** Addresses of stored images, by name. @default {} */
  readonly assets?: Readonly<Record<string, string>> | undefined;
}

/** Fills the template; the data must come from `plainData()`. */
export type CompiledTemplate = (data: unknown) => string;

const KNOWN = Object.fromEntries(HELPERS.map(({ name }) => [name, true]));

for (const [name, work] of Object.entries(HELPER_FUNCTIONS)) {
  handlebars.registerHelper(name, placed(name, work));
}
handlebars.registerHelper("let", letNames);
handlebars.unregisterHelper("log");

/**
 * Compiles a template with the fixed helpers. This runs where the template runs: inside the sandbox, or in a
 * test. It checks the source again, even if it was checked before.
 *
 * @throws {RenderError} If the template is not valid.
 */
export function compileTemplate(source: string, options: CompileOptions): CompiledTemplate {
  const { ast, error = checkTemplate({ html: source })[0] } = parseTemplate("html", source);
  if (!ast || error) {
    const place = error && { line: error.line, column: error.column };
    throw new RenderError("error", error?.message ?? "The template is empty", place);
  }
  freeNames(ast, new Set());
  hideOuterNames(ast, new Set());
  const template = handlebars.compile(ast, {
    noEscape: options.escape === "none",
    knownHelpers: { ...KNOWN, log: false } as KnownHelpers,
    knownHelpersOnly: true,
    preventIndent: true,
  });
  const { escape, locale = "en", timeZone = "UTC", assets = {} } = options;
  const runtime = {
    allowProtoMethodsByDefault: false,
    allowProtoPropertiesByDefault: false,
    data: { settings: { escape, locale, timeZone, assets } },
  };
  return (data) => {
    try {
      return refuseObjects(template(data, runtime));
    } catch (error) {
      throw asRenderError(error);
    }
  };
}

/**
 * Makes Handlebars read names as variables. It takes `{{date}}` for a call of the helper `date`; for its
 * author it is the variable of that name, and helpers without arguments do not exist. `{{this.date}}` has
 * that meaning in Handlebars.
 */
function freeNames(node: Node, blockNames: ReadonlySet<string>): void {
  if (node.type === "MustacheStatement" && !callsHelper(node as MustacheStatement)) {
    const path = (node as MustacheStatement).path as PathExpression;
    const [name = ""] = path.parts as string[];
    const single = path.parts.length === 1 && !path.data && path.depth === 0;
    if (single && !isScoped(path) && !blockNames.has(name)) path.original = `this.${name}`;
  }
  const named = (node as BlockStatement).program?.blockParams ?? [];
  const inner = named.length > 0 ? new Set([...blockNames, ...named]) : blockNames;
  for (const child of childrenOf(node)) {
    freeNames(child, child === (node as BlockStatement).program ? inner : blockNames);
  }
}

/**
 * Makes the names of a `{{#let}}` win over those that a block around it gave (`as |name|`): Handlebars looks
 * for these first.
 */
function hideOuterNames(node: Node, own: ReadonlySet<string>): void {
  if (node.type === "PathExpression") {
    const path = node as PathExpression;
    const [name = ""] = path.parts as string[];
    if (path.data || path.depth > 0 || isScoped(path) || !own.has(name)) return;
    path.original = `this.${path.original}`;
    return;
  }
  const block = node as BlockStatement;
  const isCall = "params" in node && callsHelper(block);
  const given = block.program?.blockParams ?? [];
  const isLet = node.type === "BlockStatement" && (block.path as PathExpression).original === "let";
  const keys = isLet ? block.hash?.pairs.map(({ key }) => key) ?? [] : [];
  const inner = new Set([...own, ...keys].filter((name) => !given.includes(name)));
  for (const child of childrenOf(node)) {
    if (isCall && child === block.path) continue;
    hideOuterNames(child, child === block.program ? inner : own);
  }
}

/** Fills the content of `{{#let}}`. */
function letNames(this: unknown, ...values: unknown[]): string {
  const { hash, fn } = values.pop() as LetOptions;
  const context = values.length > 0 ? values[0] : this;
  if (Object.keys(hash).length === 0) return fn(context);
  const isObject = typeof context === "object" && context !== null && !Array.isArray(context);
  const fields = isObject ? context as object : plainData({}) as object;
  return fn(Object.assign(Object.create(Object.getPrototypeOf(fields)), fields, hash));
}

interface LetOptions {
  readonly hash: Readonly<Record<string, unknown>>;
  readonly fn: (context: unknown) => string;
}

interface CallOptions {
  readonly hash: Readonly<Record<string, unknown>>;
  readonly data: {
    readonly settings: Omit<HelperContext, "hash">;
  };
  readonly loc: { readonly start: { readonly line: number; readonly column: number } };
}

/** Returns a helper whose errors contain their place in the template. */
function placed(name: string, work: HelperFunction): (...values: unknown[]) => unknown {
  const isBreaks = name === "breaks";
  const isAddress = name === "asset";
  return (...values) => {
    const { hash, data, loc } = values.pop() as CallOptions;
    try {
      const result = work(values, { hash, ...data.settings });
      // Escaped, it could not stand in a style sheet.
      if (isAddress) return new handlebars.SafeString(String(result));
      return isBreaks && data.settings.escape === "html" ? withBreaks(String(result)) : result;
    } catch (error) {
      if (!(error instanceof HelperError)) throw error;
      const place = { line: loc.start.line, column: loc.start.column + 1 };
      throw new RenderError("error", error.message, place);
    }
  };
}

function withBreaks(text: string): unknown {
  const escaped = handlebars.escapeExpression(text).replaceAll(/\r\n|\r|\n/g, "<br>\n");
  return new handlebars.SafeString(escaped);
}

function asRenderError(error: unknown): RenderError {
  if (error instanceof RenderError) return error;
  if (error instanceof HelperError) return new RenderError("error", error.message);
  if (error instanceof RangeError && /string length/.test(error.message)) {
    return new RenderError("output", "Cannot fill the template: its output is too long");
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new RenderError("error", `Cannot fill the template: ${reason}`);
}
