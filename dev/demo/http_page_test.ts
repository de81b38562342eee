/** The examples of docs/http.md work with the demonstration of `npm start`. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { sendRequestSchema } from "@posthaste/contracts";
import { mergeVariables, missingVariables, openSandbox, withDefaults } from "@posthaste/templating";
import { SENDER } from "../seed.ts";
import { PORTS } from "../settings.ts";

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), "utf8");
const page = read("../../docs/http.md");
/** Counted in the order of the import: by alias. */
const aliases = (kind: string) => readdirSync(join(import.meta.dirname, kind)).sort();
const variablesOf = (kind: string, alias: string) =>
  JSON.parse(read(kind, alias, "template.json")).variables;

/** Returns the code blocks of one section: commands, and the answers that the page shows. */
function section(title: string): { commands: string[]; answers: Record<string, unknown>[] } {
  const text = page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "";
  const blocks = (language: string) =>
    [...text.matchAll(new RegExp("^```" + language + "\\n(.*?)^```$", "gms"))]
      .map(([, block = ""]) => block);
  return { commands: blocks("sh"), answers: blocks("json").map((block) => JSON.parse(block)) };
}

/** Runs a command of the page in a shell. A function stands for curl and returns its arguments. */
function requestOf(command = "") {
  const head = /^BASE=\S+$/m.exec(page)?.[0];
  const script = `${head}\ncurl() { printf '%s\\0' "$@"; }\n${command}`;
  const args = spawnSync("sh", ["-c", script], { encoding: "utf8" }).stdout.split("\0");
  const [, alias = "", action = "", integration] =
    /templates\/([\w-]+)\/(\w+)\/?(\d+)?$/.exec(args[0] ?? "") ?? [];
  return { url: args[0], alias, action, integration, body: JSON.parse(args.at(-2) ?? "") };
}

test("the page's render fills a template of the demonstration, and its answer is what comes", async () => {
  const { commands, answers } = section("Render");
  const { url, alias, action, body } = requestOf(commands[0]);
  assert.equal(url, `http://localhost:${PORTS.api.standard}/v1/templates/${alias}/render`);
  assert.equal(action, "render");
  const variables = variablesOf("email", alias);
  assert.deepEqual(missingVariables(variables, body), []);
  await using sandbox = openSandbox({ workers: 1 });
  const source = read("email", alias, "subject.hbs").trimEnd();
  const [filled] = await sandbox.fill({
    templates: { subject: { key: alias, source, escape: "none" } },
    fills: [{ data: withDefaults(variables, body) }],
  });
  assert.ok(filled?.ok);
  assert.equal(answers[0]?.["subject"], filled.parts["subject"]);
});

test("the page's send is one that the demonstration accepts", () => {
  const { commands, answers } = section("Send");
  const { alias, action, integration, body } = requestOf(commands[0]);
  assert.deepEqual([action, integration], ["send", "1"]);
  const { from, to, variables = {} } = sendRequestSchema().parse(body);
  assert.equal(from.email, SENDER);
  for (const { email, variables: own = {}, attachments = [] } of to) {
    const data = mergeVariables(variables, own);
    assert.deepEqual(missingVariables(variablesOf("email", alias), data), [], email);
    for (const attachment of attachments) {
      const pdf = aliases("pdf")[attachment.id - 1] ?? `PDF template ${attachment.id}`;
      const all = mergeVariables(variables, own, attachment.variables ?? {});
      assert.deepEqual(missingVariables(variablesOf("pdf", pdf), all), [], `${email} ${pdf}`);
    }
  }
  const accepted = answers.find(({ status }) => status === "success");
  assert.deepEqual(
    (accepted?.["messages"] as { email: string }[]).map(({ email }) => email),
    to.map(({ email }) => email),
  );
});

test("the page's state of a send is of the template that it sent", () => {
  const { alias } = requestOf(section("Send").commands[0]);
  const [state] = section("The state of a send").answers;
  const id = aliases("email").indexOf(alias) + 1;
  assert.deepEqual(state?.["template"], { id, version: 1 });
  assert.equal(state?.["integrationId"], 1);
});
