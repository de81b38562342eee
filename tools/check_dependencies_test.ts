import assert from "node:assert/strict";
import { test } from "node:test";
import { checkDependencies } from "./check_dependencies.ts";
import { makeRepository } from "./make_repository.ts";

function page(rows: string[]): string {
  return ["# A", "", "| `other` | dev | table |", "", "## Dependencies", "", ...rows, "", "## B"]
    .join("\n");
}

test("checkDependencies() passes a table that agrees with the manifests", () => {
  using repository = makeRepository({
    "docs/architecture.md": page([
      "| `mongodb` | libs/storage, services/api | the database |",
      "| `zod` | libs/contracts | schemas |",
    ]),
  });
  assert.deepEqual(checkDependencies(repository.root), []);
});

test("checkDependencies() names what is missing, left over, elsewhere, or without a reason", () => {
  using repository = makeRepository({
    "docs/architecture.md": page([
      "| `mongodb` | libs/storage | the database |",
      "| `zod` | libs/contracts |  |",
      "| `left-pad` | dev | spaces |",
    ]),
  });
  assert.deepEqual(checkDependencies(repository.root), [
    'docs/architecture.md lists "left-pad", which nobody declares',
    'docs/architecture.md gives "mongodb" to libs/storage; it is declared by libs/storage, services/api',
    'docs/architecture.md lacks "zod" of libs/contracts: say what it is for',
  ]);
});

test("checkDependencies() writes all folders of one kind as one name", () => {
  const manifest = { name: "@x/pdf", dependencies: { mongodb: "1" } };
  const rows = (units: string) => [
    `| \`mongodb\` | ${units} | the database |`,
    "| `zod` | libs/contracts | schemas |",
  ];
  const found = (units: string) => {
    using repository = makeRepository({
      "services/pdf/package.json": JSON.stringify(manifest),
      "docs/architecture.md": page(rows(units)),
    });
    return checkDependencies(repository.root);
  };
  assert.deepEqual(found("libs/storage, services/*"), []);
  assert.deepEqual(found("libs/storage, services/api, services/pdf"), [
    'docs/architecture.md gives "mongodb" to libs/storage, services/api, services/pdf; it is declared by libs/storage, services/*',
  ]);
});
