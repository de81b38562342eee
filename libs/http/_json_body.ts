import { isUtf8 } from "node:buffer";
import type { Issue } from "@posthaste/contracts";
import { parse } from "secure-json-parse";
import { pathOf } from "./body_issues.ts";
import { findJsonFault } from "./_json_fault.ts";
import { type JsonLimits, measureJson } from "./measure_json.ts";
import { HttpError } from "./http_error.ts";
import { findRepeatedField } from "./_repeated_field.ts";
import { findUnsafeIntegers } from "./_unsafe_integers.ts";
import { findValueFaults, lookThrough } from "./_value_faults.ts";

const BOM_PATTERN = /^\u{feff}/u;

/**
 * Reads a request body as JSON. The error contains the place of the fault and never quotes the body.
 *
 * @throws {HttpError} `invalid_json` if it is empty, not UTF-8, not JSON, or exceeds the limits, or if it has
 * names that poison prototypes, a field twice, numbers that are too large or would change, or halves of
 * characters.
 */
export function readJsonBody(body: Buffer, limits: JsonLimits): unknown {
  if (body.length === 0) throw invalidJson("the body is empty");
  if (!isUtf8(body)) throw invalidJson("the body is not UTF-8");
  const { excess, fields, hasSurrogates, hasUnsafeIntegers } = measureJson(body, limits);
  if (excess !== undefined) throw invalidJson(`the body is too complex: ${excess}`);
  // RFC 8259, 8.1: one byte order mark may be ignored. The parser would ignore a second one.
  const text = body.toString("utf8").replace(BOM_PATTERN, "");
  if (BOM_PATTERN.test(text)) throw invalidJson("the body is not valid JSON at line 1, column 1");
  const value = parseJson(text);
  const look = lookThrough(value, { hasSurrogates });
  if (look.fields !== fields) throw repeated(text);
  const inexact = hasUnsafeIntegers ? findUnsafeIntegers(text) : [];
  if (!look.hasFaults && inexact.length === 0) return value;
  const reason = inexact.length === 0
    ? "a value cannot be stored unchanged"
    : "an integer outside ±(2^53-1) would change; send it as a string";
  const others = look.hasFaults ? findValueFaults(value, { hasSurrogates }) : [];
  throw invalidJson(reason, [...inexact, ...others]);
}

function parseJson(text: string): unknown {
  try {
    return parse(text, undefined, { protoAction: "error", constructorAction: "error" });
  } catch {
    const place = findJsonFault(text);
    throw invalidJson(
      place === undefined
        ? 'the body has a field named "__proto__" or "constructor.prototype"'
        : `the body is not valid JSON at line ${place.line}, column ${place.column}`,
    );
  }
}

function repeated(text: string): HttpError {
  const path = pathOf(findRepeatedField(text) ?? []);
  const issue: Issue = { path, code: "repeated_field", message: "must not appear twice" };
  return invalidJson("a field appears twice", [issue]);
}

function invalidJson(reason: string, issues?: Issue[]): HttpError {
  return new HttpError("invalid_json", `Cannot read the request: ${reason}`, {
    ...(issues === undefined ? {} : { issues }),
  });
}
