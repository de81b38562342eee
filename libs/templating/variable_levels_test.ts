import assert from "node:assert/strict";
import { test } from "node:test";
import { originsOf, valuesOf } from "./variable_levels.ts";

const declared = [
  { name: "greeting", required: false, default: "Hi" },
  { name: "note", required: false },
  { name: "city", required: false, default: "Oslo" },
];
const levels = {
  top: { name: "A", company: "Shop", city: "Rome", greeting: null, hidden: 1 },
  recipient: { name: "B", city: null, hidden: null },
  attachment: { number: 7 },
};
const names = ["name", "company", "number", "greeting", "note", "city", "hidden"];

test("originsOf() returns the level of each variable's value", () => {
  assert.deepEqual(originsOf(levels, { declared, names }), {
    ...{ name: "recipient", company: "top", number: "attachment" },
    // `null` hides the value above it, and the default replaces it.
    ...{ greeting: "default", note: "missing", city: "default", hidden: "missing" },
  });
});

test("originsOf() agrees with valuesOf() about every level", () => {
  const variants = [undefined, null, "x", { a: 1 }];
  for (const top of variants) {
    for (const recipient of variants) {
      for (const attachment of variants) {
        for (const fallback of [undefined, "d"]) {
          const given = Object.entries({ top, recipient, attachment })
            .filter(([, value]) => value !== undefined)
            .map(([level, value]) => [level, { v: value === "x" ? level : value }]);
          const all = Object.fromEntries(given);
          const one = [{ name: "v", required: false, default: fallback }];
          const origin = originsOf(all, { declared: one, names: ["v"] })["v"];
          const value = valuesOf(all, one)["v"];
          const expected = origin === "default"
            ? fallback
            : origin === "missing"
            ? undefined
            : all[origin as string].v;
          assert.deepEqual(value ?? undefined, expected, JSON.stringify(all));
        }
      }
    }
  }
});

test("originsOf() treats the names of prototypes as plain data", () => {
  const top = JSON.parse('{"__proto__":1}');
  const found = originsOf({ top }, { declared: [], names: ["__proto__", "constructor"] });
  assert.deepEqual(Object.entries(found), [["__proto__", "top"], ["constructor", "missing"]]);
});
