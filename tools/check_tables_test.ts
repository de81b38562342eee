import assert from "node:assert/strict";
import { test } from "node:test";
import { checkTables } from "./check_tables.ts";
import { makeRepository } from "./make_repository.ts";

const FITS = "x".repeat(160);
const LONG = `${FITS}y`;

function check(files: Record<string, string>): string[] {
  using repository = makeRepository(files);
  return checkTables(repository.root);
}

test("checkTables() names the page, the line and the size of each long cell", () => {
  const found = check({
    "README.md": `# A\n\n| a | b |\n| --- | --- |\n| ${FITS} | b |\n| a | ${LONG} |\n`,
    "docs/deep/page.md": `- item\n\n  | a |\n  | --- |\n  | ${LONG} |\n`,
  });
  const rest = `a cell has 161 characters (limit: 160). Move a part below the table: "${
    "x".repeat(40)
  }…"`;
  assert.deepEqual(found, [`README.md:6: ${rest}`, `docs/deep/page.md:5: ${rest}`]);
});

test("checkTables() counts links and images by their text", () => {
  const address = `docs/${"a".repeat(200)}.md`;
  assert.deepEqual(check({ "README.md": `| [a](${address}) ![b](${address}) |\n` }), []);
  const [found = ""] = check({ "README.md": `| [${LONG}](${address}) |\n` });
  assert.match(found, /has 161 characters/);
});

test("checkTables() takes an escaped bar for a part of its cell", () => {
  const half = "x".repeat(90);
  assert.deepEqual(check({ "README.md": `| ${half} | ${half} |\n` }), []);
  const [found = ""] = check({ "README.md": `| ${half} \\| ${half} |\n` });
  assert.match(found, /has 184 characters/);
});

test("checkTables() ignores text, code and the customer's specification", () => {
  const table = `| ${LONG} |\n`;
  assert.deepEqual(
    check({
      "README.md": `${LONG}\n\n\`\`\`\`md\n\`\`\`\n${table}\`\`\`\`\n\n~~~\n${table}~~~\n`,
      "docs/interface.md": table,
    }),
    [],
  );
  const [found = ""] = check({ "README.md": `\`\`\`sh\n\`\`\`\n${table}` });
  assert.match(found, /^README\.md:3: /);
});
