import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { openBlocks } from "./open_blocks.ts";
import { openPlaceholder } from "./open_placeholder.ts";
import { scopedPaths } from "./scoped_paths.ts";

/** A helper that templates may call. */
export interface HelperWord {
  name: string;
  kind: "block" | "inline";
  signature: string;
  summary: string;
  /** A sample of its use in a template. */
  example: string;
}

/** The words that placeholders may contain. */
export interface TemplateWords {
  /** Paths that can be read: `customer.name`, `lines[].price`. */
  paths: readonly string[];
  helpers: readonly HelperWord[];
  /** Names of partials that can be included. */
  partials: readonly string[];
  /** Descriptions of variables, by name. */
  describe(path: string): string;
}

/** The most text before the cursor that is searched for open blocks. */
const LOOK_BACK = 100_000;

/** Offers variables and helpers inside `{{…}}`; `words` is called each time. */
export function completeTemplate(
  words: () => TemplateWords,
): (context: CompletionContext) => CompletionResult | null {
  return ({ state, pos }) => {
    const start = Math.max(0, pos - LOOK_BACK);
    const before = state.sliceDoc(start, pos);
    const open = openPlaceholder(before);
    if (open === null) return null;
    const blocks = openBlocks(before);
    const { paths, helpers, partials, describe } = words();
    const variables = scopedPaths(paths, blocks).map((path) => variable(path, describe(path)));
    const options = {
      block: () => helpers.filter(({ kind }) => kind === "block").map(helper),
      close: () => blocks.slice(-1).map(({ name }) => ({ label: name, type: "keyword" })),
      partial: () => partials.map((label) => ({ label, type: "namespace" })),
      name: () => [
        ...variables,
        ...helpers.filter(({ kind }) => kind === "inline").map(helper),
        ...blocks.length > 0 ? [{ label: "else", type: "keyword" }] : [],
      ],
      argument: () => [
        ...variables,
        ...["@index", "@first", "@last", "@key"].filter(() => isInList(blocks))
          .map((label) => ({ label, type: "constant" })),
      ],
    }[open.kind]();
    return { from: start + open.from, options, validFor: /^[\w.@-]*$/ };
  };
}

function isInList(blocks: readonly { name: string }[]): boolean {
  return blocks.some(({ name }) => name === "each");
}

function variable(label: string, info: string): Completion {
  return { label, type: "variable", boost: 10, ...(info === "" ? {} : { info }) };
}

function helper({ name, signature, summary, example }: HelperWord): Completion {
  const info = `${summary}\n\n${example}`;
  return { label: name, type: "function", detail: signature.slice(name.length, 60), info };
}
