import { randomInt } from "node:crypto";

/** The greatest depth of a body: variables have 32 levels, below five of the request's own. */
export const MAX_DEPTH = 64;

/** The most fields of one object. */
export const MAX_FIELDS = 10_000;

/** The bytes of text for each allowed field or item. */
export const BYTES_PER_VALUE = 20;

/** The bytes of text for each allowed field. Fields cost a parser more than items. */
export const BYTES_PER_FIELD = 50;

/** The most different names of fields. Each name costs as much as several fields that share one. */
export const MAX_NAMES = 30_000;

const NAME_BITS = 18;
/** Random for each process, so that no caller can choose names that collide. */
const NAME_SEED = randomInt(2 ** 32);
/** From Knuth and MurmurHash3: with some others, names that differ a little share their hash. */
const [BYTE_FACTOR, LAST_FACTOR] = [0x9e3779b1, 0x85ebca6b] as const;

/** The number of digits of the largest safe integer. */
const SAFE_DIGITS = String(Number.MAX_SAFE_INTEGER).length;
/** The characters of a number besides digits. */
const NUMBER_BYTES: ReadonlySet<number> = new Set(Buffer.from(".eE+-"));

/** Facts about a JSON text before it is parsed. */
export interface JsonMeasure {
  /** The number of fields in all its objects; exact for a valid text. */
  fields: number;
  /** Whether strings may contain halves of surrogate pairs. */
  hasSurrogates: boolean;
  /** Whether there is an integer beyond ±(2^53-1), written without fraction and exponent. */
  hasUnsafeIntegers: boolean;
  /** Why it must not be parsed. */
  excess: string | undefined;
}

/** Limits of a body's content. */
export interface JsonLimits {
  /** Fields and items of all its objects and lists. */
  maxValues: number;
  /** Fields of all its objects. */
  maxFields: number;
}

/** Returns the limits of content for bodies of a size in bytes. */
export function jsonLimitsOf(bodyLimit: number): JsonLimits {
  return {
    maxValues: Math.ceil(bodyLimit / BYTES_PER_VALUE),
    maxFields: Math.ceil(bodyLimit / BYTES_PER_FIELD),
  };
}

/**
 * Measures a JSON text in one pass and without memory. A parser would create its objects first: five million
 * brackets take hundreds of megabytes. A text that is not JSON also results in some measure.
 */
export function measureJson(
  text: Uint8Array,
  { maxValues, maxFields }: JsonLimits,
  seed = NAME_SEED,
): JsonMeasure {
  const fieldsAt = new Uint32Array(MAX_DEPTH + 1);
  const seen = new Uint8Array(2 ** NAME_BITS);
  let names = 0;
  let name = 0;
  const measure: JsonMeasure = {
    fields: 0,
    hasSurrogates: false,
    hasUnsafeIntegers: false,
    excess: undefined,
  };
  let values = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case 0x22: // "
        name = seed;
        for (at++; at < text.length && text[at] !== 0x22; at++) {
          name = mixed(name, text[at] ?? 0);
          if (text[at] !== 0x5c) continue;
          at++;
          name = mixed(name, text[at] ?? 0);
          // \uD800 to \uDFFF
          if (text[at] === 0x75 && (text[at + 1] === 0x64 || text[at + 1] === 0x44)) {
            measure.hasSurrogates = true;
          }
        }
        break;
      case 0x7b: // {
      case 0x5b: // [
        depth++;
        values++;
        if (depth > MAX_DEPTH) {
          return { ...measure, excess: `it is nested deeper than ${MAX_DEPTH} levels` };
        }
        fieldsAt[depth] = 0;
        break;
      case 0x7d: // }
      case 0x5d: // ]
        if (depth > 0) depth--;
        break;
      case 0x3a: { // :
        if (++measure.fields > maxFields) {
          return { ...measure, excess: `it has more than ${maxFields} fields` };
        }
        const place = Math.imul(name, LAST_FACTOR) >>> (32 - NAME_BITS);
        if (seen[place] === 0) {
          seen[place] = 1;
          if (++names > MAX_NAMES) {
            return {
              ...measure,
              excess: `it has more than ${MAX_NAMES} different field names`,
            };
          }
        }
        const fields = (fieldsAt[depth] ?? 0) + 1;
        fieldsAt[depth] = fields;
        if (fields > MAX_FIELDS) {
          return { ...measure, excess: `an object has more than ${MAX_FIELDS} fields` };
        }
        break;
      }
      case 0x2c: // ,
        values++;
        break;
      default:
        if (isDigit(text[at])) {
          const end = endOfNumber(text, at);
          measure.hasUnsafeIntegers ||= isUnsafeInteger(text, at, end);
          at = end - 1;
        }
        break;
    }
    if (values > maxValues) {
      return { ...measure, excess: `it has more than ${maxValues} fields and items` };
    }
  }
  return measure;
}

function mixed(hash: number, byte: number): number {
  const next = Math.imul(hash ^ byte, BYTE_FACTOR);
  return next ^ next >>> 15;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Returns the end of a number, including fraction and exponent, from the start of its digits. */
function endOfNumber(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && (isDigit(text[at]) || NUMBER_BYTES.has(text[at] ?? 0))) at++;
  return at;
}

function isUnsafeInteger(text: Uint8Array, start: number, end: number): boolean {
  if (end - start < SAFE_DIGITS) return false;
  let value = 0;
  for (let at = start; at < end; at++) {
    if (!isDigit(text[at])) return false;
    value = 10 * value + ((text[at] ?? 0) - 0x30);
  }
  return value > Number.MAX_SAFE_INTEGER;
}
