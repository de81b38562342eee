/**
 * Faults in whole real templates: each is planted at several places of each public template, and linting finds
 * exactly that one more. `PUBLIC_TEMPLATES` names a folder with clones of the templates.
 *
 * @module
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { nightly } from "@posthaste/kit";
import { LINT_RULES, type LintInput, type LintRule, lintTemplate } from "@posthaste/templating";
import { convert, NO_CLONES } from "./converted.ts";
import { dataPlants } from "./data_plants.ts";
import { htmlPlants } from "./html_plants.ts";
import { type Planted, readTemplate, type RealTemplate } from "./plant.ts";
import { SOURCES, type TemplateSource } from "./sources.ts";

nightly("libs/templating/lint_rules_test.ts");

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "posthaste-planted-"));
});
after(() => rm(root, { recursive: true }));

/** Rules whose fault is not in a source, and who finds it. */
const ELSEWHERE: Readonly<Partial<Record<LintRule, string>>> = {
  cannot_fill: "renderer",
  compiler: "compiler of MJML",
  no_preheader: "a hidden text may be anywhere at the beginning: nothing can be removed blindly",
  pdf_blocked: "printer",
  pdf_unprintable: "printer",
  pdf_glyphs_fail: "printer",
  pdf_missing_glyphs: "printer",
  pdf_font_broken: "printer",
  pdf_images_fail: "renderer",
};

async function templatesOf(source: TemplateSource): Promise<RealTemplate[]> {
  const folder = join(await convert(source, root), source.kind);
  return await Promise.all(
    (await readdir(folder)).toSorted().map(async (alias) => {
      const mjml = join(folder, alias, "body.mjml");
      const file = existsSync(mjml) ? mjml : join(folder, alias, "body.html.hbs");
      const html = await readFile(file, "utf8");
      return readTemplate({ name: `${source.name}/${alias}`, kind: source.kind, html });
    }),
  );
}

/** Returns the findings as texts. A name with a fault is no longer read, so its declaration says nothing. */
function findingsOf(input: LintInput, { rule }: Planted): string[] {
  return lintTemplate(input)
    .filter((found) => found.rule !== "undeclared_variable" || rule === "undeclared_variable")
    .map(({ rule, line, message }) => `${rule} ${line} ${message}`);
}

/** Returns the elements of a list that another one lacks. */
function without(all: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return all.filter((one) => {
    const at = left.indexOf(one);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

/** Returns what is wrong with the findings about a fault, or `undefined`. */
function missOf(planted: Planted): string | undefined {
  const [before, after] = [planted.before, planted.after].map((one) => findingsOf(one, planted));
  const more = without(after ?? [], before ?? []);
  const fewer = without(before ?? [], after ?? []);
  const wanted = `${planted.rule} ${planted.line} `;
  if (more.length === 1 && more[0]?.startsWith(wanted) && fewer.length === 0) return undefined;
  return JSON.stringify({ wanted, more, fewer });
}

const planted = new Set<LintRule>();

for (const source of SOURCES) {
  test(`a fault in a whole template of ${source.name} is found alone, at its line`, {
    skip: NO_CLONES,
  }, async (context) => {
    const misses: string[] = [];
    let faults = 0;
    const templates = await templatesOf(source);
    assert.ok(templates.length > 0);
    for (const template of templates) {
      for (const plant of [...htmlPlants(template), ...dataPlants(template)]) {
        planted.add(plant.rule);
        faults++;
        const miss = missOf(plant);
        if (miss !== undefined) misses.push(`${template.name}: ${miss}`);
      }
    }
    context.diagnostic(`${faults} faults in ${templates.length} templates`);
    assert.deepEqual(misses, []);
  });
}

test("every rule was planted, or is found elsewhere", { skip: NO_CLONES }, () => {
  const rules = Object.keys(LINT_RULES) as LintRule[];
  assert.deepEqual(
    rules.filter((rule) => !planted.has(rule)).toSorted(),
    Object.keys(ELSEWHERE).toSorted(),
  );
});
