import assert from "node:assert/strict";
import { test } from "node:test";
import { offeredValues } from "./offered_values.ts";

test("offeredValues() offers what the text had, and outside of loops what the template prints", () => {
  const source = {
    ...{ subject: "", text: "", filename: "", variables: [], locale: "en", page: null },
    html: "<p>{{ date due }}</p>{{#each lines}}<p>{{ name }}</p>{{/each}}",
    sample: { name: "Ada", lines: [{ name: "x" }], customer: { city: "Rome" } },
  };
  const found = ["name", "lines[].name", "customer.city", "none"].map((path) => ({
    ...{ name: path, paths: [path], usedIn: ["html" as const], line: 1, column: 1 },
  }));
  const rest = { source, found };
  const offer = (before: string, number: number, shown: string[]) =>
    offeredValues({ ...rest, before, shown, target: { type: "text", number } });
  assert.deepEqual(offer("{{ date due }}", 0, ["May 1"]), [
    { name: "due", source: "{{ date due }}", shown: "May 1" },
    { name: "name", source: "{{ name }}", shown: "Ada" },
    { name: "customer.city", source: "{{ customer.city }}", shown: "Rome" },
  ]);
  assert.deepEqual(offer("{{ name }}", 1, ["x"]), [{
    name: "name",
    source: "{{ name }}",
    shown: "x",
  }]);
});
