import { brandIn } from "./_brand_values.ts";
import type { Includes } from "./includes.ts";
import { TEMPLATE_LIMITS } from "./limits.ts";
import { nearest } from "./_nearest.ts";
import { openPlaces } from "./_open_places.ts";
import { parseTemplate } from "./_parse_template.ts";
import {
  type InlinePartial,
  type PartialCall,
  type PartialNode,
  partialNodes,
} from "./_partial_tags.ts";
import { InvalidTemplateError, type TemplateError, type TemplatePart } from "./template_error.ts";

/** A part without calls of partials. */
export interface IncludedPart {
  readonly text: string;
  /** Names of the account's partials in it, in the order of their first use. */
  readonly used: readonly string[];
  /** Returns where a place of {@linkcode text} was written. Both from 1. */
  readonly placeOf: (line: number, column: number) => WrittenPlace;
}

/** A place in the source of the template, or of a partial. */
export interface WrittenPlace {
  readonly line: number;
  readonly column: number;
  /** Name of the partial; missing for the template itself. */
  readonly partial?: string;
}

/** Where names of partials lead at a place. */
interface Scope {
  /** Name of the partial that is being written; undefined for the template. */
  readonly partial: string | undefined;
  readonly inlines: ReadonlyMap<string, Block>;
  /** What `{{> @partial-block}}` stands for. */
  readonly block: Block | undefined;
  /** The partials around this place, outermost first. */
  readonly path: readonly string[];
}

/** Nodes, and the scope in which they were written. */
interface Block {
  readonly nodes: readonly PartialNode[];
  readonly scope: Scope;
}

interface Span {
  readonly start: number;
  readonly partial: string | undefined;
  readonly at: number;
  /** Whether the text was made here: all of it has one place. */
  readonly isMade: boolean;
}

const { calls: MAX_CALLS, depth: MAX_DEPTH } = TEMPLATE_LIMITS.partials;

/**
 * Writes partials and brand values into one part of a template. The result needs nothing else: a partial's
 * text stands where it was called, inside `{{#let}}` if the call has arguments.
 *
 * @throws {InvalidTemplateError} With the first fault, at its place in the template or a partial.
 */
export function includePartials(
  part: TemplatePart,
  source: string,
  includes: Includes = { partials: {} },
): IncludedPart {
  const { partials, brand = {} } = includes;
  const parsed = new Map<string, PartialNode[]>();
  const spans: Span[] = [];
  const used = new Set<string>();
  let text = "";
  let calls = 0;

  const sourceOf = (partial: string | undefined) =>
    partial === undefined ? source : partials[partial] ?? "";
  const places = new Map<string, ReturnType<typeof openPlaces>>();
  function placesIn(partial: string | undefined) {
    const found = places.get(partial ?? "") ?? openPlaces(sourceOf(partial));
    places.set(partial ?? "", found);
    return found;
  }
  const placed = ({ partial, at }: Pick<Span, "partial" | "at">): WrittenPlace => ({
    ...placesIn(partial)(at),
    ...(partial === undefined ? {} : { partial }),
  });
  function refuse(scope: Scope, at: number, message: string): never {
    const error = { part, ...placed({ partial: scope.partial, at }), message };
    throw new InvalidTemplateError([error]);
  }

  function nodesOf(partial: string | undefined): PartialNode[] {
    const known = parsed.get(partial ?? "");
    if (known) return known;
    // As HTML: a partial may be as long in each part.
    const { error } = parseTemplate(partial === undefined ? part : "html", sourceOf(partial));
    if (error) {
      const fault: TemplateError = {
        ...error,
        part,
        ...(partial === undefined ? {} : { partial }),
      };
      throw new InvalidTemplateError([fault]);
    }
    const nodes = partialNodes(sourceOf(partial));
    parsed.set(partial ?? "", nodes);
    return nodes;
  }

  function add(
    piece: string,
    scope: Scope,
    { at, isMade = false }: { at: number; isMade?: boolean },
  ) {
    if (piece === "") return;
    spans.push({ start: text.length, partial: scope.partial, at, isMade });
    text += piece;
    const most = TEMPLATE_LIMITS.characters[part];
    if (text.length > most && (used.size > 0 || calls > 0)) {
      refuse(scope, at, `With its partials, the ${part} has more than ${most} characters`);
    }
  }

  function write(nodes: readonly PartialNode[], outer: Scope): void {
    const scope = withInlines(nodes, outer, refuse);
    for (const node of nodes) {
      if (node.type === "call") include(node, scope);
      else if (node.type === "text") {
        for (const piece of brandIn(node.text, { brand, part })) {
          const at = node.at + piece.at;
          if (piece.fault !== undefined) refuse(scope, at, piece.fault);
          add(piece.text, scope, { at, isMade: piece.isMade });
        }
      }
    }
  }

  function include(call: PartialCall, scope: Scope): void {
    const { args, at } = call;
    if (++calls > MAX_CALLS) {
      refuse(scope, at, `Partials are included more than ${MAX_CALLS} times`);
    }
    if (scope.path.length > MAX_DEPTH) {
      refuse(scope, at, `Partials include each other more than ${MAX_DEPTH} deep`);
    }
    const target = targetOf(call, scope);
    const isIn = args !== "";
    if (isIn) add(`{{#let ${args}}}`, scope, { at, isMade: true });
    write(target.nodes, target.scope);
    if (isIn) add("{{/let}}", scope, { at, isMade: true });
  }

  function targetOf(call: PartialCall, scope: Scope): Block {
    const { name, at } = call;
    if (name === undefined) refuse(scope, at, "A partial is called by its name: {{> name}}");
    const body = call.body && { nodes: call.body, scope };
    if (name === "@partial-block") {
      const block = scope.block ?? body;
      if (block) return block;
      const caller = scope.partial === undefined ? "name" : scope.partial;
      const message =
        `{{> @partial-block}} has no content: call the partial as {{#> ${caller}}}…{{/${caller}}}`;
      refuse(scope, at, message);
    }
    const inline = scope.inlines.get(name);
    if (inline) {
      const path = [...scope.path, `"${name}"`];
      return {
        nodes: inline.nodes,
        scope: { ...inline.scope, path, ...(body ? { block: body } : {}) },
      };
    }
    if (Object.hasOwn(partials, name)) {
      if (scope.path.includes(name)) {
        const circle = [...scope.path.slice(scope.path.indexOf(name)), name].join(" → ");
        refuse(scope, at, `Partials include each other: ${circle}`);
      }
      used.add(name);
      const inner = body ? withInlines(body.nodes, scope, refuse).inlines : scope.inlines;
      return {
        nodes: nodesOf(name),
        scope: { partial: name, inlines: inner, block: body, path: [...scope.path, name] },
      };
    }
    const guess = nearest(name, [...Object.keys(partials), ...scope.inlines.keys()]);
    // Inside a partial, a block is a place that its caller may fill, with its own content otherwise.
    if (body && scope.partial !== undefined && guess === undefined) return body;
    const hint = guess === undefined
      ? ": there is no partial with this name"
      : `: did you mean "${guess}"?`;
    return refuse(scope, at, `"${name}" is not known${hint}`);
  }

  const top: Scope = { partial: undefined, inlines: new Map(), block: undefined, path: [] };
  write(nodesOf(undefined), top);
  const offsetOf = offsetsIn(text);
  return {
    text,
    used: [...used],
    placeOf(line, column) {
      const offset = offsetOf(line, column);
      const span = spans.findLast(({ start }) => start <= offset);
      if (span === undefined) return { line, column };
      const { partial, at, start, isMade } = span;
      return placed({ partial, at: isMade ? at : at + offset - start });
    },
  };
}

/** Adds the partials that nodes define for themselves and for what they call. */
function withInlines(
  nodes: readonly PartialNode[],
  scope: Scope,
  refuse: (scope: Scope, at: number, message: string) => never,
): Scope {
  const own = nodes.filter((node): node is InlinePartial => node.type === "inline");
  if (own.length === 0) return scope;
  const inlines = new Map(scope.inlines);
  const inner: Scope = { ...scope, inlines };
  const seen = new Set<string>();
  for (const { name, body, at } of own) {
    if (seen.has(name)) refuse(scope, at, `"${name}" is defined twice`);
    seen.add(name);
    inlines.set(name, { nodes: body, scope: inner });
  }
  return inner;
}

function offsetsIn(text: string): (line: number, column: number) => number {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (line, column) => (starts[line - 1] ?? text.length) + column - 1;
}
