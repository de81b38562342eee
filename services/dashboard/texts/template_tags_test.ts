import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { templateTags } from "./template_tags.ts";

test("templateTags() finds what each tag does", () => {
  const roles: [string, string][] = [
    ["{{name}}", "value"],
    ["{{~ name ~}}", "value"],
    ['{{ date day "{{x}}" }}', "value"],
    ["{{{html}}}", "value"],
    ["{{& html}}", "value"],
    ["{{}}", "value"],
    ["{{#if a}}", "open"],
    ["{{~ ^a }}", "open"],
    ["{{else}}", "else"],
    ["{{~ else if b ~}}", "else"],
    ["{{^}}", "else"],
    ["{{~ ^ ~}}", "else"],
    ["{{/if}}", "close"],
    ["{{! no }}", "other"],
    ["{{!-- {{no}} --}}", "other"],
    ["{{> part}}", "other"],
    ["{{#> part}}", "other"],
    ["\\{{name}}", "other"],
  ];
  for (const [tag, role] of roles) {
    assert.deepEqual(templateTags(`a ${tag} b`)?.map((one) => one.role), [role], tag);
  }
  assert.equal(templateTags("{{name"), null);
});

test("templateTags() takes time proportional to the length of malicious sources", async () => {
  const sources: ((count: number) => string)[] = [
    (count) => `{{x${" ".repeat(count)}y}}`,
    (count) => `{{^${"\n".repeat(count)}y}}`,
    (count) => `{{~${" ".repeat(count)}~}}`,
    (count) => `{{!-- ${" ~".repeat(count)} --}}`,
    (count) => `{{{${" ".repeat(count)}}}}`,
  ];
  for (const source of sources) {
    const [short, long] = [source(3_000), source(24_000)];
    const ratio = await cpuRatio(() => templateTags(long), () => templateTags(short), {
      runs: 3,
      below: 24,
    });
    assert.ok(ratio < 24, `${long.slice(0, 20)}: ${ratio} times as long for 8 times as much`);
  }
});
