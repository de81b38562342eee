import { isArrowFunction, isCallExpression, isFunctionDeclaration } from "typescript/unstable/ast";
import { isFunctionExpression, type Node } from "typescript/unstable/ast";
import type { ParsedSources } from "./_parse_sources.ts";

/** A clock that a test can replace. */
export type Clock = "Date" | "performance";

/**
 * Finds the functions that replace a clock: by `mock.timers.enable()`, by `mock.method(performance, "now")`,
 * or by calling a function that does. Returns whether a place is in one of them, where a reading is not the
 * wall time.
 */
export function fakedClocks(
  { files, symbols }: ParsedSources,
): (place: Node, clock: Clock) => boolean {
  const faking = new Map<Node, Set<Clock>>();
  const named = new Map<number, Set<Clock>>();
  const learn = (node: Node): boolean => {
    let hasLearned = false;
    if (isCallExpression(node)) {
      const clocks = replacedBy(node.getText()) ?? named.get(symbols.get(node.expression) ?? -1);
      for (const clock of clocks ?? []) {
        hasLearned = note(node, clock) || hasLearned;
      }
    }
    node.forEachChild((child) => {
      hasLearned = learn(child) || hasLearned;
    });
    return hasLearned;
  };
  const note = (place: Node, clock: Clock): boolean => {
    const owner = functionAround(place);
    if (owner === undefined || faking.get(owner)?.has(clock)) return false;
    const clocks = faking.get(owner) ?? new Set();
    faking.set(owner, clocks.add(clock));
    if (isFunctionDeclaration(owner) && owner.name !== undefined) {
      named.set(symbols.get(owner.name) ?? -2, clocks);
    }
    return true;
  };
  while ([...files.values()].map(learn).includes(true));
  return (place, clock) => {
    for (let at = functionAround(place); at !== undefined; at = functionAround(at)) {
      if (faking.get(at)?.has(clock)) return true;
    }
    return false;
  };
}

function replacedBy(call: string): Clock[] | undefined {
  if (/^[\w.]*\bmethod\(\s*performance,\s*"now"/.test(call)) return ["performance"];
  const [, options] = /^[\w.]*\btimers\.enable\(([^]*)\)$/.exec(call) ?? [];
  // The mock timers of Node.js leave `performance` as it is.
  return options !== undefined && (!/\bapis\b/.test(options) || options.includes(`"Date"`))
    ? ["Date"]
    : undefined;
}

function functionAround(node: Node): Node | undefined {
  let at: Node | undefined = node.parent;
  while (
    at !== undefined && !isFunctionDeclaration(at) && !isArrowFunction(at) &&
    !isFunctionExpression(at)
  ) at = at.parent;
  return at;
}
