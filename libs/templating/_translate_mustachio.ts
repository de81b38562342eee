import type { Note } from "./_note.ts";

/** A step of a path from the top; `[]` is an item of a list. */
type Path = readonly string[];

/** An open block: the meaning of names inside it, in Mustachio and in Posthaste. */
interface Open {
  name: string;
  close: "each" | "with" | "unless";
  context: Path;
  /** Null if the block has no scope of its own in Posthaste. */
  scope: Path | null;
}

const TAG = /\{\{\{[^{}]+\}\}\}|\{\{[^{}]+\}\}/g;
const PATH = /^(?:\.\.\/)*(?:[\w-]+(?:\.[\w-]+)*|\.)?$/;

/**
 * Translates Mustachio, the language of Postmark: sections become `with`, inverted ones `unless`. In
 * Mustachio, each step of a path and each item of a list is a level, so `../` is counted again.
 */
export function translateMustachio(source: string, note: Note): string {
  const open: Open[] = [];
  return source.replace(TAG, (tag, at: number) => {
    const [, start = "", inside = "", end = ""] = /^(\{\{\{?)([\s\S]*?)(\}?\}\})$/.exec(tag) ?? [];
    const text = inside.trim();
    const leave = (why: string) => (note(at, tag, why), tag);
    if (text.startsWith("!")) return tag;
    if (/^@content\b/.test(text)) {
      return leave("Layouts have no counterpart: write the template into its layout");
    }
    if (/^pm:/.test(text)) {
      return leave("Postmark fills this in itself: write a variable of your own");
    }
    if (text.startsWith("/")) {
      return closed(open, () => leave("This closes a block that is not open"));
    }
    const [, sign = "", , path = ""] = /^(#|\^|&)?\s*(each\s+)?(.*)$/.exec(text) ?? [];
    const isEach = /^#\s*each\s/.test(text);
    if (!PATH.test(path)) return leave("This is not a path of Mustachio");
    const target = resolved(path, open.at(-1)?.context ?? []);
    const written = writtenFrom(target, open);
    if (sign === "^") {
      open.push({ name: path, close: "unless", context: target, scope: null });
      return `{{#unless ${written}}}`;
    }
    if (sign === "#") {
      const inner = isEach ? [...target, "[]"] : target;
      open.push({ name: path, close: isEach ? "each" : "with", context: inner, scope: inner });
      return `{{#${isEach ? "each" : "with"} ${written}}}`;
    }
    return `${start}${sign}${written}${end}`;
  });
}

function closed(open: Open[], otherwise: () => string): string {
  const last = open.pop();
  return last === undefined ? otherwise() : `{{/${last.close}}}`;
}

function resolved(path: string, context: Path): Path {
  const steps = path.split("/");
  const name = steps.pop() ?? "";
  const up = context.slice(0, Math.max(0, context.length - steps.length));
  return name === "" || name === "." ? up : [...up, ...name.split(".")];
}

/** Returns a path in Posthaste's language, from the innermost enclosing scope. */
function writtenFrom(target: Path, open: readonly Open[]): string {
  const scopes = [[], ...open.flatMap(({ scope }) => scope === null ? [] : [scope])] as Path[];
  for (let up = 0; up < scopes.length; up++) {
    const scope = scopes[scopes.length - 1 - up] ?? [];
    if (!scope.every((step, index) => target[index] === step)) continue;
    const rest = target.slice(scope.length).filter((step) => step !== "[]").join(".");
    const levels = "../".repeat(up);
    if (rest !== "") return levels + rest;
    return up === 0 ? "this" : levels.slice(0, -1);
  }
  return target.join(".");
}
