import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { runCli } from "./_run_cli.ts";
import { EXIT } from "./exit_code.ts";

let root: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "posthaste-convert-"));
});
after(() => rm(root, { recursive: true }));

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
}

const read = (name: string) => readFile(join(root, name), "utf8");
const run = (...args: string[]) => runCli(["convert", ...args], { cwd: root });

test("convertCommand() writes the files of Postmark's tool as a folder for import", async () => {
  await write({
    "postmark/welcome/content.html": "<p>{{#person}}Hi {{name}}{{/person}}</p>\r\n",
    "postmark/welcome/content.txt": "{{^person}}Hi{{/person}}",
    "postmark/welcome/meta.json": '{"Name":"Welcome!","Alias":"w","Subject":"Hi {{person.name}}"}',
    "postmark/README.md": "not a template",
  });
  const { code, stdout, stderr } = await run("postmark", "--from", "postmark", "--to", "one");
  assert.deepEqual([code, stderr], [EXIT.ok, ""]);
  assert.match(stdout, /welcome +Welcome! +0/);
  const folder = "one/email/welcome";
  assert.deepEqual(await readdir(join(root, folder)), [
    ...["body.html.hbs", "subject.hbs", "template.json", "text.txt.hbs"],
  ]);
  assert.equal(
    await read(`${folder}/body.html.hbs`),
    "<p>{{#with person}}Hi {{name}}{{/with}}</p>\n",
  );
  assert.equal(await read(`${folder}/text.txt.hbs`), "{{#unless person}}Hi{{/unless}}");
  assert.equal(await read(`${folder}/subject.hbs`), "Hi {{person.name}}\n");
  assert.deepEqual(JSON.parse(await read(`${folder}/template.json`)), { name: "Welcome!" });
  const again = await run("postmark", "--from", "postmark", "--to", "one");
  assert.deepEqual([again.code, /is not empty/.test(again.stderr)], [EXIT.refused, true]);
});

test("convertCommand() reads the answers of APIs, and lists what is left with its place", async () => {
  const versions = [
    { active: 0, subject: "Old", html_content: "old" },
    { active: 1, subject: "Order {{id}}", html_content: "<p>\n<%asm_preferences_url%></p>" },
  ];
  await write({
    "sendgrid/order.json": JSON.stringify({ name: "Order", versions }),
    "sendgrid/order_data.json": '{"id":7}',
    "sendgrid/page.html": "<title>Tea &amp; cake</title>{{#equals a 1}}x{{/equals}}",
  });
  const args = ["sendgrid", "--from", "sendgrid", "--to", "two", "--json"];
  const { code, stdout } = await run(...args);
  assert.equal(code, EXIT.refused);
  const { templates, left } = JSON.parse(stdout);
  assert.deepEqual(templates, [
    { alias: "order", name: "Order", left: 1 },
    { alias: "page", name: "page", left: 0 },
  ]);
  assert.deepEqual(
    left.map(({ file, line, column }: Record<string, unknown>) => [file, line, column]),
    [
      ["order.json", 2, 1],
    ],
  );
  assert.equal(await read("two/email/order/subject.hbs"), "Order {{id}}\n");
  assert.equal(await read("two/email/page/subject.hbs"), "Tea & cake\n");
  const none = await run("none", "--from", "mailchimp", "--to", "three");
  assert.equal(none.code, EXIT.notFound);
});

test("convertCommand() takes MJML with its title, instead of the HTML made from it", async () => {
  const mjml = "<mjml><mj-head><mj-title>Tea &amp; cake</mj-title></mj-head><mj-body><mj-section>" +
    "<mj-column>\n<mj-text>*|FNAME|*</mj-text></mj-column></mj-section></mj-body></mjml>";
  const old = "\ufeff<!-- July -->\r\n<mjml><mj-body></mj-body></mjml>";
  await write({
    "mjml/news.mjml": mjml,
    "mjml/news.html": "<p>made from it</p>",
    "mjml/news.txt": "Hi *|FNAME|*",
    "mjml/more/old.MJML": old,
    "mjml/partials/header.mjml": "<mj-section></mj-section>",
    "mjml/page.html": "<p>x</p>",
  });
  const args = ["mjml", "--from", "mailchimp", "--to", "four", "--json"];
  const { code, stdout } = await run(...args);
  assert.equal(code, EXIT.refused);
  const { templates, left } = JSON.parse(stdout);
  assert.deepEqual(templates.map(({ alias, left }: Record<string, unknown>) => [alias, left]), [
    ...[["news", 0], ["page", 0], ["old", 0]],
  ]);
  assert.deepEqual(left, [{
    ...{ file: "partials/header.mjml", line: 1, column: 1, text: "<mj-section>" },
    why: "has no <mjml>: make a partial of it, and include that with {{> name}}",
  }]);
  assert.equal(await read("four/email/news/body.mjml"), mjml.replace("*|FNAME|*", "{{FNAME}}"));
  assert.equal(await read("four/email/news/subject.hbs"), "Tea & cake\n");
  assert.equal(await read("four/email/news/text.txt.hbs"), "Hi {{FNAME}}");
  assert.deepEqual(await readdir(join(root, "four/email/old")), [
    ...["body.mjml", "subject.hbs", "template.json"],
  ]);
});
