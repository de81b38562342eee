import assert from "node:assert/strict";
import { test } from "node:test";
import type { TemplateRead, VariableDeclaration, Variables } from "@posthaste/contracts";
import { cpuRatio } from "@posthaste/kit";
import { mergeLevels, missingVariables } from "@posthaste/templating";
import { emailVersion, openTestApp, pdfVersion, SEND, smallSend } from "./_test_app.ts";
import { openVariableNeeds } from "./variable_needs.ts";

const printed = (path: string, always = true): TemplateRead => ({
  path,
  uses: ["printed"],
  always,
});

test("openVariableNeeds() finds what the merged values lack", () => {
  const variables: VariableDeclaration[] = [
    ...["c", "a", "b", "__proto__", "length"].map((name) => ({ name, required: true })),
    ...[{ name: "d", required: true, default: 1 }, { name: "e", required: false }],
  ];
  const reads = [
    ...["b", "a.b", "a", "a.b.c", "a.0", "__proto__.x", "lines[].x", "e.constructor"].map((path) =>
      printed(path)
    ),
    printed("c", false),
  ];
  const values: unknown[] = [undefined, null, 0, "", "x", [], [{}], {}, { b: {} }, {
    b: { c: [1] },
  }];
  const bodies = [{ _id: "1", variables, reads }, { _id: "2", variables: [], reads: undefined }];
  let seed = 7;
  const draw = <T>(list: readonly T[]): T => {
    seed = (seed * 48_271) % 2_147_483_647;
    return list[seed % list.length] as T;
  };
  const level = () => {
    const fields = ["a", "b", "c", "d", "e", "__proto__", "length"]
      .flatMap((name) => draw([0, 1]) === 0 ? [] : [[name, draw(values)]] as const)
      .filter(([, value]) => value !== undefined);
    return JSON.parse(
      `{${fields.map((each) => each.map((one) => JSON.stringify(one)).join(":"))}}`,
    );
  };
  for (let sends = 0; sends < 300; sends++) {
    const top = draw([undefined, level(), level()]);
    const find = openVariableNeeds(top);
    for (let mails = 0; mails < 6; mails++) {
      const body = draw(bodies);
      const own = { recipient: draw([undefined, level()]), attachment: draw([undefined, level()]) };
      const merged = mergeLevels({ top, ...own }) as Variables;
      assert.deepEqual(find(body, own), {
        missing: missingVariables(body.variables, merged),
        unprintable: unprintableIn(body.reads, merged),
      }, JSON.stringify({ top, own }));
    }
  }
});

test("values for all recipients are looked through once, not for each mail and attachment", async () => {
  const declared = [{ name: "name", required: true }];
  const reads = Array.from({ length: 2_000 }, (_, index) => printed(`v${index}.x`));
  const attachments = Array.from({ length: 10 }, () => ({ id: 7 }));
  const names = Array.from({ length: 9_000 }, (_, index) => [`v${index}`, "x"]);
  const bodyWith = (variables: object | undefined) =>
    JSON.stringify(smallSend({
      variables: { name: "all", ...Object.fromEntries(names) },
      to: Array.from({ length: 300 }, (_, index) => ({
        ...{ email: `a${index}@example.net`, variables, attachments },
      })),
    }));
  await using needy = openTestApp({
    versions: {
      latestEmailVersion: () => Promise.resolve({ ...emailVersion(declared), reads }),
      latestPdfVersion: () => Promise.resolve({ ...pdfVersion(declared), reads }),
    },
  });
  await using other = openTestApp();
  for (const variables of [undefined, { v0: {}, v1: "y" }]) {
    const body = bodyWith(variables);
    const post = (api: typeof other) => async () =>
      assert.equal((await api.post(SEND, body)).status, 200);
    const ratio = await cpuRatio(post(needy), post(other), { runs: 2, below: 5 });
    assert.ok(ratio < 5, `${ratio} times a template that needs no values`);
  }
});

/** The rule for one set of values, read by read: what the code does for many sets in less time. */
function unprintableIn(
  reads: readonly TemplateRead[] | undefined,
  variables: Variables,
): string[] {
  return (reads ?? []).flatMap(({ path, always }) =>
    always && !path.includes("[]") && isUnprintable(valueAt(variables, path)) ? [path] : []
  );
}

function isUnprintable(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

function valueAt(variables: Variables, path: string): unknown {
  return path.split(".").reduce<unknown>((value, name) => {
    const isThere = isUnprintable(value) && Object.hasOwn(value as object, name);
    return isThere ? (value as Record<string, unknown>)[name] : undefined;
  }, variables);
}
