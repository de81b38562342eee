import { Agent, request } from "node:http";
import {
  DEFAULT_SEND_LIMITS,
  ERROR_STATUS,
  errorBodySchema,
  sendBodySchema,
} from "@posthaste/contracts";
import fc from "fast-check";
import { z } from "zod";
import { SENDER } from "@posthaste/chaos";
import type { HttpTarget } from "./_http_target.ts";
import { readJson } from "./_http_verdict.ts";

/** The result of one property. */
export interface FuzzResult {
  property: string;
  tries: number;
  /** The smallest request that broke it, and how. */
  broken: string | undefined;
}

interface Answer {
  status: number;
  body: unknown;
}

type Post = (path: string, body: Buffer) => Promise<Answer>;

/** The part of JSON Schema that is used here. */
interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
}

const GOOD_ADDRESSES = [
  "jane@example.net",
  "jane.doe+tag@mail.example.net",
  "o'neil@example.org",
  "x@xn--bcher-kva.example",
  "a_b-c!#$%&*=?^`{|}~@b.example",
];
const BAD_ADDRESSES = [
  "",
  "jane",
  "@b.example",
  "a@",
  "a@b",
  "a@b..example",
  ".a@b.example",
  "a@b.example\r\nBcc: c@d.example",
  "Jane <a@b.example>",
  "a@b.example,c@d.example",
  '"a b"@b.example',
  "a@[127.0.0.1]",
  "a@127.0.0.1",
  `${"a".repeat(65)}@b.example`,
  `a@${"b.".repeat(127)}example`,
  "a\u{0}@b.example",
  "a\u{200b}@b.example",
];

/** Checks properties of both endpoints, with requests made from their schemas. */
export async function fuzzHttp(
  target: HttpTarget,
  { runs, seed }: { runs: number; seed: number },
): Promise<FuzzResult[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const post: Post = (path, body) => postJson(target, { agent, path: `/v1${path}`, body });
  const sendPath = target.account.path;
  const renderPath = "/templates/chaos/render";
  const send = validSends(target);
  const properties: [string, fc.IAsyncProperty<unknown>][] = [
    [
      "a send within the contract is accepted",
      fc.asyncProperty(send, async (body) => {
        const answer = await post(sendPath, encode(body));
        expect(answer.status === 200, answer);
        const { messages } = answer.body as { messages: { email: string }[] };
        const emails = (body as { to: { email: string }[] }).to.map(({ email }) => email);
        expect(
          JSON.stringify(messages.map(({ email }) => email)) === JSON.stringify(emails),
          answer,
        );
      }),
    ],
    [
      "a send with one fault is refused with its place",
      fc.asyncProperty(
        send.chain((body) => breakOne(body)),
        async ({ body, path }) => {
          const answer = await post(sendPath, encode(body));
          expectDocumented(answer);
          expect(answer.status === 400, answer);
          const { issues = [] } = errorBodySchema.parse(answer.body);
          expect(issues.some((issue) => issue.path === path), answer);
        },
      ),
    ],
    [
      "any JSON as a send",
      fc.asyncProperty(anyJson(send), async (body) => {
        const answer = await post(sendPath, encode(body));
        expectDocumented(answer);
        if (answer.status === 200) expect(!isForbiddenSend(body), answer);
      }),
    ],
    [
      "any JSON as variables",
      fc.asyncProperty(anyJson(variables()), async (body) => {
        const answer = await post(renderPath, encode(body));
        expectDocumented(answer);
        const isObject = typeof body === "object" && body !== null && !Array.isArray(body);
        if (!isObject) expect(answer.status === 400, answer);
        if (answer.status === 200) expect(isObject && Object.hasOwn(body as object, "n"), answer);
      }),
    ],
    [
      "variables within the contract are rendered",
      fc.asyncProperty(variables(), async (body) => {
        const answer = await post(renderPath, encode({ ...body, n: 7 }));
        expect(answer.status === 200, answer);
        const { subject, html, text } = answer.body as Record<string, unknown>;
        expect(String(subject).endsWith("to n7"), answer);
        expect(typeof html === "string" && typeof text === "string", answer);
      }),
    ],
    [
      "a send with damaged bytes",
      fc.asyncProperty(
        fc.tuple(
          send,
          fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(2)), { minLength: 1, maxLength: 4 }),
        ),
        async ([body, damages]) => {
          const bytes = damage(encode(body), damages);
          const answer = await post(sendPath, bytes);
          expectDocumented(answer);
          if (answer.status === 200) expect(!isForbiddenSend(decode(bytes)), answer);
        },
      ),
    ],
  ];
  const results: FuzzResult[] = [];
  for (const [property, check] of properties) {
    const details = await fc.check(check, {
      numRuns: runs,
      seed,
      interruptAfterTimeLimit: 600_000,
    });
    const broken = details.failed
      ? `${JSON.stringify(details.counterexample)?.slice(0, 5000)}: ${details.errorInstance}`
      : undefined;
    results.push({ property, tries: details.numRuns, broken });
  }
  agent.destroy();
  return results;
}

/** Returns sends that the contract allows, from its schema, so that new fields are included. */
function validSends({ account: { pdfId } }: HttpTarget): fc.Arbitrary<Record<string, unknown>> {
  const schema = z.toJSONSchema(sendBodySchema(DEFAULT_SEND_LIMITS), { unrepresentable: "any" });
  const leaves: Record<string, fc.Arbitrary<unknown>> = {
    "from.email": fc.constantFrom(SENDER, SENDER.replace("sender.example", "SENDER.Example")),
    email: fc.constantFrom(...GOOD_ADDRESSES),
    name: fc.string({ unit: "grapheme", maxLength: 40 }).filter(isPrintable),
    id: fc.constant(pdfId),
    locale: fc.constantFrom("de", "de-AT", "PT-br", "zh-Hant-TW", "de-u-nu-latn", "xx"),
    "to.attachments": fc.array(fc.oneof(pdfs(pdfId), files()), { maxLength: 5 }),
    attachments: fc.array(files(), { maxLength: 5 }),
    headers: fc.dictionary(
      fc.constantFrom("X-Campaign", "X-Id", "List-Id", "Feedback-ID"),
      fc.string({ unit: "grapheme-ascii", maxLength: 60 }).map((value) => value.trim()),
      { maxKeys: 4, noNullPrototype: true },
    ),
    // The token lacks the scope for true.
    toSuppressed: fc.constant(false),
    listUnsubscribe: fc.constantFrom(
      "",
      { url: "https://example.com/leave?u=1" },
      { url: "http://example.com/leave", oneClick: false },
      { mailto: "leave@example.com" },
    ),
    variables: variables(),
    reference: fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 100 }),
    // From an hour ago to a month ahead.
    sendAt: fc.integer({ min: -1, max: 720 })
      .map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString()),
    tags: fc.array(fc.stringMatching(/^[\w.:-]{1,64}$/), { maxLength: 10 }),
    metadata: fc.dictionary(
      fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 40 })
        .filter((name) => name !== "__proto__"),
      fc.string({ maxLength: 500 }),
      { maxKeys: 20, noNullPrototype: true },
    ),
  };
  // The template's required variables, which no generated name equals.
  return arbitraryOf(schema as Schema, [], leaves).map((body) => ({
    ...body as object,
    variables: { ...variablesOf(body), n: 1 },
  }));
}

function filenames(ending = ""): fc.Arbitrary<string> {
  return fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 })
    .filter((name) => isPrintable(name) && !/[/\\]|\{\{/.test(name))
    .map((name) => `${name}${ending}`);
}

function pdfs(id: number): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({ id: fc.constant(id), filename: filenames(), variables: variables() }, {
    requiredKeys: ["id"],
    noNullPrototype: true,
  });
}

function files(): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({
    content: fc.uint8Array({ minLength: 1, maxLength: 60 })
      .map((bytes) => Buffer.from(bytes).toString("base64")),
    filename: filenames(".txt"),
    contentType: fc.constantFrom("text/plain", "image/png", "text/csv; charset=utf-8"),
  }, { noNullPrototype: true });
}

function arbitraryOf(
  schema: Schema,
  path: string[],
  leaves: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<unknown> {
  const leaf = leaves[path.join(".")] ?? leaves[path.at(-1) ?? ""];
  if (leaf !== undefined) return leaf;
  if (schema.type === "array" && schema.items !== undefined) {
    const items = arbitraryOf(schema.items, path, leaves);
    return fc.array(items, { minLength: path.at(-1) === "to" ? 1 : 0, maxLength: 5 });
  }
  if (schema.properties === undefined) {
    throw new Error(`Cannot try "${path.join(".")}": nothing is known of it but ${schema.type}`);
  }
  const fields = Object.entries(schema.properties)
    .map(([name, inner]) => [name, arbitraryOf(inner, [...path, name], leaves)] as const);
  const requiredKeys = schema.required ?? [];
  return fc.record(Object.fromEntries(fields), { requiredKeys, noNullPrototype: true });
}

function variables(): fc.Arbitrary<Record<string, unknown>> {
  const name = fc.string({ unit: "grapheme", maxLength: 12 })
    .filter((name) => !["__proto__", "constructor", "n"].includes(name));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.string({ unit: "grapheme" }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter(isWrittenExactly),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(name, tie("value"), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  return fc.dictionary(name, value as fc.Arbitrary<unknown>, { maxKeys: 6, noNullPrototype: true });
}

/** Integers beyond 2^53 are refused where they are written with all their digits: up to 1e21. */
function isWrittenExactly(value: number): boolean {
  return !Number.isInteger(value) || Number.isSafeInteger(value) || Math.abs(value) >= 1e21;
}

/** Returns any JSON, and near misses of valid bodies. */
function anyJson(good: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<unknown> {
  const name = fc.constantFrom(
    "from",
    "to",
    "email",
    "variables",
    "name",
    "attachments",
    "id",
    "$ne",
    "n",
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      fc.jsonValue(),
      fc.constantFrom(SENDER, "a@b.example", 1, "", [], {}),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 5, noNullPrototype: true }),
    ),
  }));
  const mixed = fc.tuple(good, name, value).map(([body, field, other]) => ({
    ...body,
    [field]: other,
  }));
  return fc.oneof(
    value as fc.Arbitrary<unknown>,
    mixed,
    fc.jsonValue(),
  );
}

/** Puts one fault into a valid send, and returns its path. */
function breakOne(good: Record<string, unknown>): fc.Arbitrary<{ body: unknown; path: string }> {
  const faults: fc.Arbitrary<[string, unknown]>[] = [
    fc.constantFrom<[string, unknown]>(
      ["from", undefined],
      ["to", undefined],
      ["to", []],
      ["to", {}],
      ["from.email", undefined],
      ["from.email", "boss@sender.example"],
      ["to.0", "a@b.example"],
      ["to.0.email", undefined],
      ["to.0.attachments", Array.from({ length: 11 }, () => ({ id: 1 }))],
      ["variables", []],
      ["variables", "x"],
      ["to.0.variables", 1],
      ["cc", "a@b.example"],
      ["to.0.bcc", "a@b.example"],
      ["from.replyTo", "a@b.example"],
      ["reference", ""],
      ["reference", "x".repeat(101)],
      ["to.0.reference", "a\nb"],
      ["tags", Array.from({ length: 11 }, (_, n) => `t${n}`)],
      ["tags.0", "no blanks"],
      ["to.0.metadata", { key: 1 }],
      ["metadata", { key: "x".repeat(501) }],
    ),
    fc.tuple(
      fc.constant("to.0.email"),
      fc.constantFrom<unknown>(...BAD_ADDRESSES, 1, null, [], {}),
    ),
    fc.tuple(
      fc.constantFrom("from.name", "to.0.name"),
      fc.constantFrom<unknown>(
        "a\r\nBcc: b@c.example",
        "\u{0}",
        "\u{85}",
        "\u{2028}",
        "x".repeat(257),
        1,
        {},
      ),
    ),
    fc.tuple(fc.constant("variables.a"), fc.integer({ min: 32, max: 60 })).map(([, depth]) =>
      ["variables", JSON.parse(`${'{"a":'.repeat(depth + 1)}1${"}".repeat(depth + 1)}`)] as [
        string,
        unknown,
      ]
    ),
    fc.constantFrom("1", 1.5, -1, 0, 2 ** 53, null, {}, []).map((id) =>
      ["to.0.attachments.0.id", id] as [string, unknown]
    ),
    fc.constantFrom("../x", "a\\b", "a\nb", "", "{{n}}.pdf", "x".repeat(201)).map((filename) =>
      ["to.0.attachments.0.filename", filename] as [string, unknown]
    ),
  ];
  return fc.oneof(...faults).map(([path, value]) => {
    const body = structuredClone(good);
    // A file has no id.
    if (path.startsWith("to.0.attachments.0")) set(body, ["to", "0", "attachments"], [{ id: 1 }]);
    set(body, path.split("."), value);
    return { body, path };
  });
}

function set(target: unknown, [name = "", ...rest]: string[], value: unknown): void {
  const object = target as Record<string, unknown>;
  if (rest.length > 0) {
    object[name] ??= ["attachments", "tags"].includes(name) ? [] : name === "0" ? { id: 1 } : {};
    set(object[name], rest, value);
  } else if (value === undefined) delete object[name];
  else object[name] = value;
}

/** Returns whether a body must never be answered with 200, independently of the service's code. */
function isForbiddenSend(body: unknown): boolean {
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const hasOnly = (value: Record<string, unknown>, names: string) =>
    Object.keys(value).every((name) => names.split(" ").includes(name));
  const isText = (value: unknown, longest: number) =>
    value === undefined || value === null ||
    typeof value === "string" && value.length <= longest && isPrintable(value);
  const isVariables = (value: unknown) => value === undefined || value === null || isObject(value);
  const isPdfRef = (value: unknown) =>
    Number.isInteger(value) || typeof value === "string" && /^[a-z][a-z0-9-]*$/.test(value);
  const envelope = "replyTo cc bcc headers listUnsubscribe attachments toSuppressed";
  const labels = "variables reference tags metadata locale";
  if (!isObject(body) || !hasOnly(body, `from to sendAt ${labels} ${envelope}`)) return true;
  if ((body["sendAt"] ?? null) !== null && !isText(body["sendAt"], 40)) return true;
  const { from, to } = body;
  if (!isObject(from) || !hasOnly(from, "email name") || !isText(from["name"], 256)) return true;
  if (String(from["email"]).toLowerCase() !== SENDER) return true;
  if (!Array.isArray(to) || to.length < 1 || to.length > 1000) return true;
  if (!isVariables(body["variables"]) || areForbiddenLabels(body)) return true;
  if (!isLocale(body["locale"])) return true;
  if (isForbiddenEnvelope(body) || filesOf(body).some((one) => isForbiddenFile(one))) return true;
  return to.some((recipient) => {
    if (!isObject(recipient) || !hasOnly(recipient, `email name ${labels} ${envelope}`)) {
      return true;
    }
    if (isForbiddenEnvelope(recipient)) return true;
    const { email, name } = recipient;
    const attachments = recipient["attachments"] ?? [];
    if (
      typeof email !== "string" || !/^[^@\s,;<>"()]+@[^@\s,;<>"()]+\.[^@\s,;<>"()]+$/.test(email)
    ) {
      return true;
    }
    if (!isText(name, 256) || !isVariables(recipient["variables"])) return true;
    if (areForbiddenLabels(recipient) || !isLocale(recipient["locale"])) return true;
    if (!Array.isArray(attachments) || attachments.length > 10) return true;
    return attachments.some((attachment) =>
      isObject(attachment) && (attachment["content"] ?? attachment["asset"] ?? null) !== null
        ? isForbiddenFile(attachment)
        : !isObject(attachment) || !hasOnly(attachment, "id filename variables") ||
          !isPdfRef(attachment["id"]) || !isText(attachment["filename"], 200) ||
          /[/\\]|\{\{.*\}\}/.test(String(attachment["filename"] ?? "")) ||
          !isVariables(attachment["variables"])
    );
  });
}

/** Returns the files for all recipients; empty if the value is not a list. */
function filesOf({ attachments }: Record<string, unknown>): unknown[] {
  return Array.isArray(attachments)
    ? attachments
    : (attachments ?? null) === null
    ? []
    : [attachments];
}

function isForbiddenFile(file: unknown): boolean {
  if (typeof file !== "object" || file === null || Array.isArray(file)) return true;
  const { content, filename, contentType, asset, contentId, id, ...rest } = file as Record<
    string,
    unknown
  >;
  const isText = (value: unknown) => typeof value === "string" && isPrintable(value);
  // No account of these tests keeps a file.
  if ((asset ?? null) !== null || (id ?? null) !== null || Object.keys(rest).length > 0) {
    return true;
  }
  if ((contentId ?? null) !== null && !isText(contentId)) return true;
  return !isText(content) || !isText(filename) || !isText(contentType) ||
    /[/\\]|\.(?:exe|js|bat|cmd|scr|vbs)$/i.test(String(filename));
}

function isLocale(tag: unknown): boolean {
  return (tag ?? null) === null ||
    typeof tag === "string" && tag.length <= 100 && /^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(tag);
}

function isForbiddenEnvelope(
  { replyTo, cc, bcc, headers, listUnsubscribe, toSuppressed }: Record<string, unknown>,
): boolean {
  if ((toSuppressed ?? false) !== false) return true;
  const isLists = [replyTo, cc, bcc].every((list) =>
    (list ?? null) === null || Array.isArray(list) && list.length <= 10 &&
      list.every((one) => typeof one?.email === "string" && isPrintable(one.email))
  );
  if (!isLists) return true;
  const values = typeof headers === "object" && headers !== null ? Object.entries(headers) : [];
  if (
    values.some(([name, value]) =>
      !/^(?:X-(?!Posthaste-|SMTPAPI)|[A-Z])[\w-]+$/i.test(name) || !isPrintable(String(value))
    )
  ) return true;
  return (listUnsubscribe ?? "") !== "" && typeof listUnsubscribe !== "object";
}

function areForbiddenLabels({ reference, tags, metadata }: Record<string, unknown>): boolean {
  const isText = (value: unknown, longest: number) =>
    typeof value === "string" && value.length <= longest;
  const isGiven = (value: unknown) => value !== undefined && value !== null;
  if (isGiven(reference) && !(isText(reference, 100) && isPrintable(String(reference)))) {
    return true;
  }
  if (isGiven(tags) && !(Array.isArray(tags) && tags.every((tag) => isText(tag, 64)))) return true;
  if (!isGiven(metadata)) return false;
  return typeof metadata !== "object" ||
    !Object.values(metadata as object).every((value) => isText(value, 500));
}

function isPrintable(text: string): boolean {
  return text.isWellFormed() && [...text].every((char) => {
    const code = char.codePointAt(0) ?? 0;
    return code > 31 && (code < 127 || code > 159) && code !== 0x2028 && code !== 0x2029;
  });
}

function variablesOf(body: unknown): object {
  return (body as { variables?: object }).variables ?? {};
}

function damage(bytes: Buffer, damages: [number, number, number][]): Buffer {
  for (const [place, value, kind] of damages) {
    const at = place % (bytes.length + 1);
    const skip = kind === 2 ? 0 : 1;
    const put = kind === 0 ? [] : [value];
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at + skip)]);
  }
  return bytes;
}

function encode(body: unknown): Buffer {
  return Buffer.from(JSON.stringify(body) ?? "");
}

function decode(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function expect(isSo: boolean, answer: Answer): void {
  if (!isSo) throw new Error(`${answer.status} ${JSON.stringify(answer.body)?.slice(0, 500)}`);
}

/** Fails for a 5xx, and for an error that is not in the form of the contract. */
function expectDocumented(answer: Answer): void {
  if (answer.status === 200) return;
  const { data } = errorBodySchema.safeParse(answer.body);
  expect(answer.status >= 400 && answer.status < 500, answer);
  expect(data !== undefined && ERROR_STATUS[data.code] === answer.status, answer);
}

interface Posting {
  agent: Agent;
  path: string;
  body: Buffer;
}

async function postJson(
  { port, account: { token } }: HttpTarget,
  { agent, path, body }: Posting,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const asking = request(
    { agent, port, path, host: "127.0.0.1", method: "POST", headers },
    async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      resolve({ status: response.statusCode ?? 0, body: readJson(text) });
    },
  );
  asking.on("error", reject).end(body);
  return await promise;
}
