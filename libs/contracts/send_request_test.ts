import assert from "node:assert/strict";
import { test } from "node:test";
import { sendBodySchema } from "./send_request.ts";

const FROM = { email: "shop@example.com" };
const TO = [{ email: "ann@example.com" }];

/** Returns every fault as `path: message`; a fault about unknown fields names them. */
function faultsOf(body: unknown, schema = sendBodySchema()): string[] {
  const issues = schema.safeParse(body).error?.issues ?? [];
  return issues.map(({ path, message, ...issue }) =>
    issue.code === "unrecognized_keys"
      ? `${path.join(".")}: unknown ${issue.keys.join()}`
      : `${path.join(".")}: ${message}`
  );
}

test("sendBodySchema() accepts a request with every field, unchanged", () => {
  const body = {
    from: { email: "shop@example.com", name: "Shop" },
    to: [
      {
        email: "ann@example.com",
        name: "Ann",
        variables: { address: { lines: ["1 High Street"], zip: null } },
        attachments: [{ id: 1, filename: "Invoice 7.pdf", variables: { total: 12.5 } }, { id: 2 }],
      },
      { email: "bob@example.com" },
    ],
    variables: { name: "A", vip: true },
  };
  assert.deepEqual(sendBodySchema().parse(body), body);
});

test("sendBodySchema() names all faults together, each with its path", () => {
  const faults = faultsOf({
    from: { email: "shop", name: "Shop\r\nBcc: x@example.com" },
    to: [
      { email: "ann@example.com" },
      {
        email: "ann@example.com, bob@example.com",
        attachments: [{ id: 1 }, { id: "2", filename: "../x.pdf" }, { id: 0, filename: "" }],
      },
      { name: "Bob", variables: [] },
    ],
    variables: "x",
  });
  assert.deepEqual(faults, [
    "from.email: must be one address in the form name@domain",
    "from.name: must not contain line breaks or control characters",
    "to.1.email: must not contain blanks, line breaks, control or invisible characters",
    "to.1.attachments.1.id: must be the id or the alias of a PDF template",
    "to.1.attachments.1.filename: must not contain slashes",
    "to.1.attachments.2.id: must be the id or the alias of a PDF template",
    "to.1.attachments.2.filename: must not be empty",
    "to.2.email: Invalid input: expected string, received undefined",
    "to.2.variables: must be an object of variable names and values",
    "variables: must be an object of variable names and values",
  ]);
});

test("sendBodySchema() names missing fields", () => {
  assert.deepEqual(faultsOf({}).map((fault) => fault.split(":")[0]), ["from", "to"]);
  assert.deepEqual(faultsOf({ from: {}, to: TO }).map((fault) => fault.split(":")[0]), [
    "from.email",
  ]);
  assert.deepEqual(faultsOf({ from: FROM, to: [] }), ["to: must have at least one recipient"]);
});

test("sendBodySchema() refuses unknown fields by name, on every level", () => {
  const faults = faultsOf({
    from: { ...FROM, mail: 1 },
    to: [{ ...TO[0], carbon: "x", attachments: [{ id: 1, file: "x", url: "y" }] }],
    subject: "Hello",
  });
  assert.deepEqual(faults.toSorted(), [
    ": unknown subject",
    "from: unknown mail",
    "to.0.attachments.0: unknown file,url",
    "to.0: unknown carbon",
  ]);
});

test("sendBodySchema() enforces its limits", () => {
  const schema = sendBodySchema({ maxRecipients: 2, maxAttachments: 1 });
  const two = [...TO, ...TO];
  assert.deepEqual(faultsOf({ from: FROM, to: two }, schema), []);
  assert.deepEqual(faultsOf({ from: FROM, to: [...two, ...TO] }, schema), [
    "to: must not have more than 2 recipients",
  ]);
  const attachments = [{ id: 1 }, { id: 1 }];
  assert.deepEqual(faultsOf({ from: FROM, to: [{ ...TO[0], attachments }] }, schema), [
    "to.0.attachments: must not have more than 1 attachments",
  ]);
});

test("sendBodySchema() enforces the lengths of names", () => {
  const recipient = (name: number, filename: number) => ({
    from: FROM,
    to: [{
      ...TO[0],
      name: "n".repeat(name),
      attachments: [{ id: 1, filename: "f".repeat(filename) }],
    }],
  });
  assert.deepEqual(faultsOf(recipient(256, 200)), []);
  assert.deepEqual(faultsOf(recipient(257, 201)), [
    "to.0.name: must not exceed 256 characters",
    "to.0.attachments.0.filename: must not exceed 200 characters",
  ]);
});

test("sendBodySchema() refuses variables that are nested too deep", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 33; level++) deep = { a: deep };
  assert.deepEqual(faultsOf({ from: FROM, to: [{ ...TO[0], variables: deep }] }), [
    "to.0.variables: must not be nested deeper than 32 levels",
  ]);
});
