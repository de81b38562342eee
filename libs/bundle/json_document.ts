import { depthOf } from "@posthaste/contracts";
import { findNodeAtLocation, type Node, parseTree, printParseErrorCode, visit } from "jsonc-parser";

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

/** The most faults of a file that are listed: a malicious one has as many as characters. */
export const MAX_FAULTS = 100;

/** The depth of bodies of requests. The database takes some more levels around a value. */
const MAX_DEPTH = 64;

/** Reads strict JSON: no comments, no trailing commas. Returns the document, or its first faults. */
export function readJson(
  text: string,
): { document: JsonDocument; faults: [] } | { document: undefined; faults: PlacedFault[] } {
  try {
    const value: unknown = JSON.parse(text);
    if (depthOf(value, MAX_DEPTH) > MAX_DEPTH) return { document: undefined, faults: [TOO_DEEP] };
    return { document: documentOf(text, value), faults: [] };
  } catch (error) {
    return { document: undefined, faults: faultsIn(text, error) };
  }
}

const TOO_DEEP = { line: 1, column: 1, message: "not valid JSON: it is nested too deep" };

/** Returns the first faults of a text that is not JSON. */
function faultsIn(text: string, reason: unknown): PlacedFault[] {
  const placeAt = openPlaces(text);
  const faults: PlacedFault[] = [];
  const enough = new Error("enough faults");
  try {
    visit(text, {
      onError(code, offset) {
        const message = `not valid JSON: ${describeCode(printParseErrorCode(code))}`;
        if (faults.push({ ...placeAt(offset), message }) === MAX_FAULTS) throw enough;
      },
    }, { disallowComments: true });
  } catch (error) {
    // The parser is recursive.
    if (error !== enough) return [TOO_DEEP];
  }
  const whole = { line: 1, column: 1, message: `not valid JSON: ${reason}` };
  return faults.length === 0 ? [whole] : faults;
}

function documentOf(text: string, value: unknown): JsonDocument {
  let tree: Node | undefined;
  const find = (path: readonly PropertyKey[]): Node => {
    // Made for faults only: it takes far longer than the value.
    const root = tree ??= parseTree(text) ?? { type: "null", offset: 0, length: 0 };
    for (let length = path.length; length > 0; length--) {
      const node = findNodeAtLocation(root, path.slice(0, length).map(toSegment));
      if (node !== undefined) return node;
    }
    return root;
  };
  const placeAt = openPlaces(text);
  return {
    value,
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

/** Returns a function that returns the place of a character, by its offset; offsets in rising order are quick. */
function openPlaces(text: string): (offset: number) => Place {
  let line = 1;
  let start = 0;
  return (offset) => {
    if (offset < start) [line, start] = [1, 0];
    for (let end = text.indexOf("\n", start); end >= 0 && end < offset;) {
      line++;
      start = end + 1;
      end = text.indexOf("\n", start);
    }
    return { line, column: offset - start + 1 };
  };
}

/** Returns a fault's code in words: `PropertyNameExpected` becomes `property name expected`. */
function describeCode(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
}
