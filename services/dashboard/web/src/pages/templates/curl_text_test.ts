import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { attachmentsJson, curlRender, curlSend } from "./curl_text.ts";

const EXAMPLE = {
  apiUrl: "http://localhost:8080/v1",
  templateId: 7,
  integrationId: 2,
  sender: "mail@shop.example",
  to: "ada@shop.example",
  variables: { name: 'D\'Arcy $HOME `id` \\ "x"\n', lines: [{ price: 1 }] },
};

/** Runs the command in a shell in which `curl` is a function that prints its arguments. */
function argumentsOf(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}\n`;
  const env = { POSTHASTE_TOKEN: "ph_secret", HOME: "/nowhere" };
  return execFileSync("sh", ["-c", script], { env, encoding: "utf8" }).split("\0").slice(0, -1);
}

test("curlSend() returns a command that a shell reads as intended, with any variables", () => {
  const [, , url, , token, , type, , body] = argumentsOf(curlSend(EXAMPLE));
  assert.equal(url, "http://localhost:8080/v1/templates/7/send/2");
  assert.equal(token, "Authorization: Bearer ph_secret");
  assert.equal(type, "Content-Type: application/json");
  assert.deepEqual(JSON.parse(body ?? ""), {
    from: { email: "mail@shop.example" },
    to: [{ email: "ada@shop.example", variables: EXAMPLE.variables }],
  });
});

test("curlRender() contains only the variables", () => {
  const [, , url, ...rest] = argumentsOf(curlRender(EXAMPLE));
  assert.equal(url, "http://localhost:8080/v1/templates/7/render");
  assert.deepEqual(JSON.parse(rest.at(-1) ?? ""), EXAMPLE.variables);
});

test("curlSend() contains separate variables for the mail and each PDF", () => {
  const attachments = [{ id: 3, variables: { name: "Only the PDF's" } }];
  const body = JSON.parse(argumentsOf(curlSend({ ...EXAMPLE, attachments })).at(-1) ?? "");
  assert.deepEqual(body.to, [{
    ...{ email: "ada@shop.example", variables: EXAMPLE.variables, attachments },
  }]);
});

test("attachmentsJson() returns a field for a recipient", () => {
  const { variables } = EXAMPLE;
  const recipient = JSON.parse(`{${attachmentsJson({ id: 3, variables })}}`);
  assert.deepEqual(recipient, { attachments: [{ id: 3, variables }] });
});
