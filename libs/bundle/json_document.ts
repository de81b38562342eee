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

/** The most faults of a file that are listed: a hostile one has as many as characters. */
export const MAX_FAULTS = 100;

/** Reads strict JSON: no comments, no trailing commas. Returns the document, or its first faults. */
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
  const placeAt = openPlaces(text);
  const faults = errors.slice(0, MAX_FAULTS).map(({ error, offset }) => ({
    ...placeAt(offset),
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
  const placeAt = openPlaces(text);
  return {
    value: JSON.parse(text),
    placeOf: (path) => placeAt(find(path).offset),
    placeOfKey(path, key) {
      const node = find(path);
      const property = node.children?.find(({ children }) => children?.[0]?.value === key);
      return placeAt((property ?? node).offset);
    },
  };
}

function toSegment(key: PropertyKey): string | number {
  return typeof key === "symbol" ? String(key) : key;
}

/** Returns a function that returns the place of a character, by its offset. It looks for line ends once. */
function openPlaces(text: string): (offset: number) => Place {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    const line = starts.findLastIndex((start) => start <= offset);
    return { line: line + 1, column: offset - (starts[line] ?? 0) + 1 };
  };
}

/** Returns a fault's code in words: `PropertyNameExpected` becomes `property name expected`. */
function sayCode(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}

function reasonOf(error: unknown): string {
  const reason = error instanceof RangeError ? "it is nested too deep" : String(error);
  return `not valid JSON: ${reason}`;
}
