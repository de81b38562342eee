import assert from "node:assert/strict";
import { test } from "node:test";
import { openRandom } from "../random.ts";
import { randomData, randomTemplate } from "./template_grammar.ts";
import { attackTemplates } from "./templates.ts";

test("attackTemplates() gets nothing through", async () => {
  const rows = await attackTemplates({ tries: 200, seed: 4, isShort: true });
  assert.deepEqual(rows.filter(({ through }) => through > 0), []);
  assert.ok(rows.every(({ tries }) => tries > 10), JSON.stringify(rows));
});

test("randomTemplate() and randomData() give the same for the same seed, and much of it", () => {
  const made = (seed: string) =>
    Array.from({ length: 300 }, (_, n) => {
      const random = openRandom(seed).fork(String(n));
      return [randomTemplate(random), JSON.stringify(randomData(random))] as const;
    });
  assert.deepEqual(made("a"), made("a"));
  const sources = made("b").map(([source]) => source);
  assert.ok(new Set(sources).size > 250);
  for (const part of ["{{#each ", "{{#with ", "{{lookup ", "(currency ", "{{else}}", "__proto__"]) {
    assert.ok(sources.some((source) => source.includes(part)), part);
  }
});
