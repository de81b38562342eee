import assert from "node:assert/strict";
import { test } from "node:test";
import { checkImports } from "./check_imports.ts";
import { makeRepository } from "./make_repository.ts";

/** Each import with the rule that forbids it. */
const FORBIDDEN: [file: string, specifier: string, rule: RegExp][] = [
  ["libs/contracts/a.ts", "@x/messaging", /libs\/contracts may import no library$/],
  ["libs/messaging/a.ts", "@x/storage", /may import contracts, telemetry, runtime, limits$/],
  ["libs/messaging/a.ts", "../contracts/mod.ts", /relative import stays inside libs\/messaging/],
  ["libs/messaging/a.ts", "@x/contracts/events.ts", /by its name alone$/],
  ["libs/messaging/a.ts", "@x/messaging", /imports are relative$/],
  ["libs/messaging/inner/a.ts", "../_secret.ts", /leading underscore/],
  ["libs/messaging/a.ts", "fs", /write "node:fs"$/],
  ["libs/messaging/a.ts", "left-pad/x", /left-pad is not declared in libs\/messaging\/package/],
  ["services/api/a.ts", "mongodb", /mongodb enters through libs\/storage, libs\/embedded only$/],
  ["services/api/a.ts", "@x/pdf", /nobody imports a service$/],
  ["services/api/a.ts", "./main.ts", /nobody imports a main\.ts$/],
  ["services/api/a.ts", "@x/kit", /only tests import kit$/],
  ["services/pdf/a.ts", "@x/storage", /services\/pdf may import contracts, telemetry, messaging/],
  ["dev/a.ts", "@x/api", /nobody imports a service$/],
  ["tools/a.ts", "left-pad", /not declared in package\.json$/],
];

for (const [file, specifier, rule] of FORBIDDEN) {
  test(`checkImports() forbids "${specifier}" in ${file}`, () => {
    using repository = makeRepository({ [file]: `// first line\nimport "${specifier}";\n` });
    const violations = checkImports(repository.root);
    assert.equal(violations.length, 1, violations.join("\n"));
    assert.ok(violations[0]?.startsWith(`${file}:2 imports "${specifier}": `), violations[0]);
    assert.match(violations[0] ?? "", rule);
  });
}

test("checkImports() finds nothing in imports that keep the rules", () => {
  using repository = makeRepository({
    "libs/contracts/mod.ts": 'import { z } from "zod"; import "./_a.ts"; import "node:fs";',
    "libs/messaging/a.ts": 'import "@x/contracts";',
    "libs/messaging/a_test.ts": 'import "@x/kit";',
    "libs/storage/a.ts": 'import type { Db } from "mongodb";',
    "services/api/a.ts": 'import "@x/storage"; import "./routes/b.ts";',
    "dev/a.ts": 'import "@x/kit";',
  });
  assert.deepEqual(checkImports(repository.root), []);
});

test("checkImports() permits only the mailer and the webhooks service to open a secret, under any name", () => {
  const source = (name: string) => `// ${name} is only a comment\n${name}\n`;
  const ways = [
    'import { openSecret } from "@x/storage";',
    'import { openSecret as look } from "@x/storage";',
    'const { openSecret } = await import("@x/storage");',
    'import * as storage from "@x/storage"; storage["openSecret"];',
  ];
  for (const way of ways) {
    using repository = makeRepository({
      "services/api/a.ts": source(way),
      "services/mailer/a.ts": source(way),
      "services/webhooks/a.ts": source(way),
      "services/api/a_test.ts": source(way),
    });
    assert.deepEqual(checkImports(repository.root), [
      'services/api/a.ts:2 names "openSecret": only libs/storage, services/mailer, services/webhooks, tests/security may',
    ], way);
  }
});

test("checkImports() forbids circles, for types and through a library's name as well", () => {
  using repository = makeRepository({
    "libs/messaging/package.json": '{ "name": "@x/messaging", "exports": "./all.ts" }',
    "libs/messaging/all.ts": 'export * from "./a.ts";',
    "libs/messaging/a.ts": '// first line\nimport type { B } from "./b.ts";',
    "libs/messaging/b.ts": 'import { type C } from "./c.ts";',
    "libs/messaging/c.ts": 'import "node:fs";\nimport type { A } from "./a.ts";',
    "dev/package.json": '{ "name": "@x/dev", "exports": "./all.ts" }',
    "dev/all.ts": 'import "@x/kit";',
    "tests/kit/package.json": '{ "name": "@x/kit", "exports": "./all.ts" }',
    "tests/kit/all.ts": 'import "@x/dev";',
  });
  const circles = checkImports(repository.root).filter((line) => line.includes("circle"));
  assert.deepEqual(circles, [
    'tests/kit/all.ts:1 imports "@x/dev": this closes the circle dev/all.ts → tests/kit/all.ts → dev/all.ts; move what they share into a file of its own',
    'libs/messaging/c.ts:2 imports "./a.ts": this closes the circle libs/messaging/a.ts → libs/messaging/b.ts → libs/messaging/c.ts → libs/messaging/a.ts; move what they share into a file of its own',
  ]);
});
