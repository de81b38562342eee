import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { EVENTS, type EventType } from "./events.ts";
import { keptPageOptionsSchema, pageOptionsSchema } from "./page_options.ts";

type Recorded = Record<string, Record<string, unknown>>;

/** Events that earlier versions wrote. They are never changed; a new event gets a sample of its own. */
const RECORDED: Record<number, Recorded> = {
  2: recordedBy(2),
  // What carries messages has another form since.
  4: recordedBy(4),
};

function recordedBy(version: number): Recorded {
  const file = new URL(`fixtures/events_v${version}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Returns an event as this version names its fields. */
function renamed(recorded: Record<string, unknown>): Record<string, unknown> {
  if (!("facts" in recorded)) return recorded;
  const { facts: outcomes, ...rest } = recorded;
  return { ...rest, v: 3, outcomes };
}

for (const [version, events] of Object.entries(RECORDED)) {
  test(`EVENTS still has every event that version ${version} had`, () => {
    const missing = Object.keys(events).filter((type) => !Object.hasOwn(EVENTS, type));
    assert.deepEqual(missing, []);
  });

  for (const [type, recorded] of Object.entries(events)) {
    const schema = EVENTS[type as EventType];

    test(`EVENTS["${type}"] reads what version ${version} wrote, and loses nothing of it`, () => {
      assert.partialDeepStrictEqual(schema.parse(recorded), renamed(recorded));
    });

    test(`EVENTS["${type}"] of version ${version} reads what a newer program adds anywhere in it`, () => {
      assert.deepEqual(schema.parse(withMore(recorded)), schema.parse(recorded));
    });
  }
}

test("pageOptionsSchema refuses an unknown key from a person, and ignores one of a newer program", () => {
  const newer = { duplex: true, margin: { gutter: "2mm" }, header: { left: "x", font: "serif" } };
  assert.ok(!pageOptionsSchema.safeParse(newer).success);
  assert.deepEqual(
    keptPageOptionsSchema.parse(newer),
    pageOptionsSchema.parse({ header: { left: "x" } }),
  );
});

// Objects whose names callers choose, and a text or its key: neither gets new fields.
const CLOSED = new Set(["variables", "pdfVersions", "html", "text", "sample"]);

/** Adds a field to every object. */
function withMore(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((item) => withMore(item, name));
  if (typeof value !== "object" || value === null || CLOSED.has(name)) return value;
  const more = Object.entries(value).map(([key, inner]) => [key, withMore(inner, key)]);
  return { ...Object.fromEntries(more), addedLater: { by: "a newer program" } };
}
