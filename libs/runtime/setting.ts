import { z } from "zod";
import { formatBytes, formatDuration, parseBytes, parseDuration } from "./units.ts";

/** Description of a setting, in the zod metadata of its schema. */
export interface SettingMeta {
  /** Kind of value, for the documentation: `duration`. */
  type: string;
  /** Form of a valid value: `a duration such as "30s"`. */
  expected: string;
  /** Whether the value must never be shown. */
  secret?: boolean;
}

interface Range {
  /** Smallest value allowed, in the unit of the parsed value. */
  min?: number;
  /** Largest value allowed. */
  max?: number;
}

/**
 * Schemas of single settings, from the text of an environment variable to a value. Add
 * `.prefault("30s")` (a default as it would be written), `.optional()` and `.describe("…")`.
 */
export const setting = {
  /** Any text. */
  text(options: { secret?: boolean; min?: number; max?: number } = {}) {
    const { secret = false, ...range } = options;
    const expected = `a text${describeRange(range, (n) => `${n} characters`)}`;
    return fromText(
      { type: "text", expected, secret },
      (text) => isWithin(text.length, range) ? text : undefined,
    );
  },

  /** A whole number. */
  integer(range: Range = {}) {
    const expected = `a whole number${describeRange(range, String)}`;
    return fromText(
      { type: "integer", expected },
      (text) => /^-?\d{1,15}$/.test(text) ? within(Number(text), range) : undefined,
    );
  },

  /** A number, with or without a fraction. */
  number(range: Range = {}) {
    const expected = `a number${describeRange(range, String)}`;
    return fromText(
      { type: "number", expected },
      (text) => /^-?\d{1,15}(\.\d{1,9})?$/.test(text) ? within(Number(text), range) : undefined,
    );
  },

  /** A TCP port; 0 lets the system choose. */
  port() {
    return fromText(
      { type: "port", expected: "a port from 0 to 65535" },
      (text) => /^\d{1,5}$/.test(text) ? within(Number(text), { max: 65535 }) : undefined,
    );
  },

  /** A span of time such as `30s`, in milliseconds. */
  duration(range: Range = {}) {
    const expected = `a duration such as "500ms", "30s", "5m" or "48h"${
      describeRange(range, formatDuration)
    }`;
    return fromText({ type: "duration", expected }, (text) => within(parseDuration(text), range));
  },

  /** A size such as `25MB`, in bytes. */
  bytes(range: Range = {}) {
    const expected = `a size such as "512KiB" or "25MB"${describeRange(range, formatBytes)}`;
    return fromText({ type: "bytes", expected }, (text) => within(parseBytes(text), range));
  },

  /** Yes or no. */
  boolean() {
    return fromText({ type: "boolean", expected: '"true" or "false"' }, (text) => {
      const word = text.toLowerCase();
      if (["true", "1", "yes", "on"].includes(word)) return true;
      return ["false", "0", "no", "off"].includes(word) ? false : undefined;
    });
  },

  /** An absolute URL, with one of these schemes if given: `["http", "https"]`. */
  url(options: { schemes?: string[]; secret?: boolean } = {}) {
    const { schemes, secret = false } = options;
    const expected = schemes === undefined
      ? "a URL"
      : `a URL that starts with ${schemes.map((scheme) => `"${scheme}://"`).join(" or ")}`;
    return fromText({ type: "url", expected, secret }, (text) => {
      // MongoDB and NATS take several hosts in one URL, which URL.parse refuses.
      const scheme = /^([a-z][a-z0-9+.-]*):\/\/[^\s/]/i.exec(text)?.[1]?.toLowerCase();
      if (scheme === undefined || /\s/.test(text)) return undefined;
      return schemes === undefined || schemes.includes(scheme) ? text : undefined;
    });
  },

  /** Texts separated by commas; empty ones are left out. */
  list() {
    return fromText(
      { type: "list", expected: "texts separated by commas" },
      (text) => text.split(",").map((item) => item.trim()).filter((item) => item !== ""),
    );
  },

  /**
   * Texts separated by commas, each of which is one of these.
   *
   * @param what Names them in the plural: `ports`.
   */
  listOf(what: string, isOne: (text: string) => boolean) {
    const expected = `${what} separated by commas`;
    return setting.list().refine((texts) => texts.every(isOne), { error: `expected ${expected}` })
      .meta({ type: "list", expected });
  },

  /** Ports separated by commas, as texts. */
  ports() {
    return setting.listOf("ports", isPort);
  },

  /** One of these words. */
  oneOf<const Word extends string>(words: readonly Word[]) {
    const expected = `one of ${words.map((word) => `"${word}"`).join(", ")}`;
    return fromText({ type: "choice", expected }, (text) => words.find((word) => word === text));
  },
};

function isPort(text: string): boolean {
  return /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535;
}

function fromText<T>(meta: SettingMeta, read: (text: string) => T | undefined) {
  return z.string().transform((text, ctx): T => {
    const value = read(text.trim());
    if (value !== undefined) return value;
    ctx.issues.push({ code: "custom", message: `expected ${meta.expected}`, input: text });
    return z.NEVER;
  }).meta({ ...meta });
}

function within(value: number | undefined, range: Range): number | undefined {
  return value !== undefined && isWithin(value, range) ? value : undefined;
}

function isWithin(value: number, { min = -Infinity, max = Infinity }: Range): boolean {
  return value >= min && value <= max;
}

function describeRange({ min, max }: Range, format: (value: number) => string): string {
  if (min !== undefined && max !== undefined) return ` from ${format(min)} to ${format(max)}`;
  if (min !== undefined) return ` of at least ${format(min)}`;
  return max === undefined ? "" : ` of at most ${format(max)}`;
}
