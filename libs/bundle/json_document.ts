import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

/** A place in a text, both from 1. */
export interface Place {
  line: number;
  column: number;
}

/** A fault at a place. */
export interface PlacedFault extends Place {
  message: string;
}

/** A JSON text that has the positions of its values. */
export interface JsonDocument {
  value: unknown;
  /** Returns the place of a value, or of the nearest one around it. */
  placeOf(path: readonly PropertyKey[]): Place;
  /** Returns the place of a property's name. */
  placeOfKey(path: readonly PropertyKey[], key: string): Place;
}

/** Reads strict JSON: no comments, no trailing commas. Returns the document, or every fault. */
export function readJson(
  text: string,
): { document: JsonDocument; faults: [] } | { document: undefined; faults: PlacedFault[] } {
  const errors: ParseError[] = [];
  try {
    const root = parseTree(text, errors, { disallowComments: true });
    if (errors.length === 0 && root !== undefined) {
      return { document: documentOf(text, root), faults: [] };
    }
  } catch (error) {
    // The parser is recursive, and JSON.parse refuses texts that the parser alone accepted.
    return { document: undefined, faults: [{ line: 1, column: 1, message: reasonOf(error) }] };
  }
  const faults = errors.map(({ error, offset }) => ({
    ...placeAt(text, offset),
    message: `not valid JSON: ${sayCode(printParseErrorCode(error))}`,
  }));
  const nothing = { line: 1, column: 1, message: "not valid JSON: it is empty" };
  return { document: undefined, faults: faults.length === 0 ? [nothing] : faults };
}

function documentOf(text: string, root: Node): JsonDocument {
  const find = (path: readonly PropertyKey[]): Node => {
    for (let length = path.length; length > 0; length--) {
      const node = findNodeAtLocation(root, path.slice(0, length).map(toSegment));
      if (node !== undefined) return node;
    }
    return root;
  };
  return {
    value: JSON.parse(text),
    placeOf: (path) => placeAt(text, find(path).offset),
    placeOfKey(path, key) {
      const node = find(path);
      const property = node.children?.find(({ children }) => children?.[0]?.value === key);
      return placeAt(text, (property ?? node).offset);
    },
  };
}

function toSegment(key: PropertyKey): string | number {
  return typeof key === "symbol" ? String(key) : key;
}

/** Returns the place of a character, by its offset. */
export function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}

/** Returns a fault's code in words: `PropertyNameExpected` becomes `property name expected`. */
function sayCode(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

function reasonOf(error: unknown): string {
  const reason = error instanceof RangeError ? "it is nested too deep" : String(error);
  return `not valid JSON: ${reason}`;
}
