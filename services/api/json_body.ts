import { isUtf8 } from "node:buffer";
import { parse } from "secure-json-parse";
import { findInfiniteNumbers } from "./infinite_numbers.ts";
import { findJsonFault } from "./json_fault.ts";
import { Refusal } from "./refusal.ts";

/**
 * Reads a request body as JSON. The error tells where the fault is and never quotes the body.
 *
 * @throws {Refusal} `invalid_json` if it is empty, not UTF-8, not JSON, or holds names that poison
 * prototypes or numbers that are too large.
 */
export function readJsonBody(body: Buffer): unknown {
  if (body.length === 0) throw invalidJson("the body is empty");
  if (!isUtf8(body)) throw invalidJson("the body is not UTF-8");
  const text = body.toString("utf8");
  const value = parseJson(text);
  const issues = findInfiniteNumbers(text, value);
  if (issues.length === 0) return value;
  throw new Refusal("invalid_json", "Cannot read the request: a number is too large", {
    issues,
  });
}

function parseJson(text: string): unknown {
  try {
    return parse(text, undefined, { protoAction: "error", constructorAction: "error" });
  } catch {
    const place = findJsonFault(text.replace(/^\u{feff}/u, ""));
    throw invalidJson(
      place === undefined
        ? 'the body has a field named "__proto__" or "constructor.prototype"'
        : `the body is not valid JSON at line ${place.line}, column ${place.column}`,
    );
  }
}

function invalidJson(reason: string): Refusal {
  return new Refusal("invalid_json", `Cannot read the request: ${reason}`);
}
