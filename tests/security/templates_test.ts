import assert from "node:assert/strict";
import { test } from "node:test";
import { nightly } from "@posthaste/kit";
import { openRandom } from "@posthaste/chaos";
import { randomData, randomTemplate } from "./template_grammar.ts";
import { attackTemplates } from "./templates.ts";

nightly("libs/templating/sandbox_test.ts");

test("attackTemplates() gets nothing through", async () => {
  const rows = await attackTemplates({
    tries: 60,
    seed: 4,
    isShort: true,
    share: 1,
  });
  assert.deepEqual(rows.filter(({ through }) => through > 0), []);
  assert.ok(rows.every(({ tries }) => tries > 10), JSON.stringify(rows));
});

test("randomTemplate() and randomData() return the same for the same seed, in great variety", () => {
  const randoms = (seed: string, length: number) =>
    Array.from({ length }, (_, n) => openRandom(seed).fork(String(n)));
  const made = (seed: string) =>
    randoms(seed, 30).map((random) => [randomTemplate(random), JSON.stringify(randomData(random))]);
  assert.deepEqual(made("a"), made("a"));
  const sources = randoms("b", 300).map(randomTemplate);
  assert.ok(new Set(sources).size > 250);
  for (const part of ["{{#each ", "{{#with ", "{{lookup ", "(currency ", "{{else}}", "__proto__"]) {
    assert.ok(sources.some((source) => source.includes(part)), part);
  }
});
