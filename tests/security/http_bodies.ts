import { gzipSync } from "node:zlib";

/** A body that both endpoints must refuse. */
export interface AttackBody {
  name: string;
  /** Returns the body, which may have megabytes. */
  make(): Buffer;
  headers?: string[];
  /** Only one of the endpoints refuses it. */
  only?: "send" | "render";
}

const LARGE = 4_990_000;

/**
 * Returns bodies that cost more than their size suggests, or can be read in two ways.
 *
 * @param good A body that is accepted as a send.
 */
export function attackBodies(good: Record<string, unknown>): AttackBody[] {
  const json = (value: unknown) => Buffer.from(JSON.stringify(value));
  const text = (make: () => string) => () => Buffer.from(make());
  const goodText = JSON.stringify(good);
  const inside = (inner: string) => `${goodText.slice(0, -1)},"x":${inner}}`;
  const long: [string, () => string][] = [
    ["nested lists", () => inside("[".repeat(LARGE / 2 - 100) + "]".repeat(LARGE / 2 - 100))],
    ["nested lists that never end", () => "[".repeat(LARGE)],
    ["nested objects", () => '{"a":'.repeat(99_000) + "1" + "}".repeat(99_000)],
    ["100,000 deep in a variable", () => nested(100_000)],
    ["33 deep in a variable", () => nested(33)],
    ["2.4 million numbers", () => inside(`[${"1,".repeat(LARGE / 2 - 200)}1]`)],
    ["1.6 million objects", () => inside(`[${"{},".repeat(LARGE / 3 - 200)}1]`)],
    ["1.6 million strings", () => inside(`[${'"",'.repeat(LARGE / 3 - 200)}1]`)],
    ["5 million commas", () => inside(`[${",".repeat(LARGE - 200)}]`)],
    ["200,000 keys", () => keys(200_000)],
    ["400,000 keys", () => keys(400_000)],
    ["5 objects of 10,000 keys", () => inside(`[${Array(5).fill(keys(10_000)).join(",")}]`)],
    ["30,000 different keys", () => `{"variables":{"a":[${many(3)}]}}`],
    ["90,000 keys", () => `{"variables":{"a":[${Array(9).fill(keys(10_000)).join(",")}]}}`],
    ["60,000 different keys", () => `{"variables":{"a":[${many(6)}]}}`],
    ["70,000 different keys", () => `{"variables":{"a":[${many(7)}]}}`],
    ["numbers of 299 digits", () => inside(`[${`${"1".repeat(299)},`.repeat(16_000)}1]`)],
    ["a number of 5 MB", () => inside(`1${"0".repeat(LARGE - 200)}`)],
    ["a negative number of 5 MB", () => inside(`-1${"0".repeat(LARGE - 200)}`)],
    ["1e400", () => inside("1e400")],
    ["-1e400", () => inside("[-1e400]")],
    ["1e99999999999", () => inside('{"a":1e99999999999}')],
    ["200,000 times 1e400", () => inside(`[${"1e400,".repeat(200_000)}1]`)],
    ["a string of escapes without an end", () => `{"a":"${"\\n".repeat(LARGE / 2 - 10)}`],
    ["a string of escapes, then a fault", () => `{"a":"${"\\n".repeat(LARGE / 2 - 10)}"}x`],
    ["5 million lines, then a fault", () => `${"\n".repeat(LARGE - 1)}x`],
    [
      "an address of 5 MB",
      () => recipients([{ email: `${"ä".repeat(LARGE / 2 - 200)}@b.example` }]),
    ],
    ["1,000 addresses of 5 KB", () => recipients(Array(1000).fill({ email: "a".repeat(4900) }))],
    ["a name of 5 MB", () => recipients([{ email: "a@b.example", name: "ä".repeat(2_400_000) }])],
    ["1,000 recipients with 60 unknown fields", () => recipients(unknownFields())],
    ["10,000 PDF templates", () => recipients(manyPdfs())],
    ["100,000 recipients", () => recipients(Array(100_000).fill({ email: "a@b.example" }))],
    ["600,000 times __proto__", () => inside(`[${'"__proto__",'.repeat(400_000)}1]`)],
  ];
  const read: [string, string][] = [
    ["empty", ""],
    ["one blank", " "],
    ["only a BOM", "\u{feff}"],
    ["two BOMs", `\u{feff}\u{feff}${goodText}`],
    ["two values", goodText + goodText],
    ["a value and a NUL", `${goodText}\u{0}`],
    ["a comma too many", goodText.replace(/\}$/, ",}")],
    ["single quotes", goodText.replaceAll('"', "'")],
    ["a comment", `/* x */${goodText}`],
    ["NaN", inside("NaN")],
    ["Infinity", inside("-Infinity")],
    ["hexadecimal", inside("0x10")],
    ["a leading zero", inside("010")],
    ["a line break in a string", inside('"a\nb"')],
    ["a bad escape", inside('"\\x41"')],
    ["__proto__", inside('{"__proto__":{"isAdmin":true}}')],
    ["__proto__ at the top", `{"__proto__":{"x":1},${goodText.slice(1)}`],
    ["__proto__ in escapes", inside('{"\\u005f\\u005fproto\\u005f\\u005f":1}')],
    ["constructor.prototype", inside('{"constructor":{"prototype":{"x":1}}}')],
    ["a field twice", `${goodText.slice(0, -1)},${goodText.slice(1)}`],
    [
      "a field twice, once in escapes",
      `{"fr\\u006fm":{"email":"a@b.example"},${goodText.slice(1)}`,
    ],
    ["a field twice, deep inside", inside('[[[{"a":{"b":1,"c":2,"b":3}}]]]')],
    ["half a character", inside('"\\ud800"')],
    ["the wrong half", inside('"\\udc00\\ud800"')],
    ["half a character in a name", inside('{"\\ud800":1}')],
    ["a list", `[${goodText}]`],
    ["a string", JSON.stringify(goodText)],
    ["a number", "1"],
    ["null", "null"],
  ];
  const bytes: [string, Buffer][] = [
    ["Latin-1", Buffer.from('{"a":"\u{fc}"}', "latin1")],
    ["overlong UTF-8", Buffer.from("7b2261223a22c0af227d", "hex")],
    ["a surrogate in UTF-8", Buffer.from("7b2261223a22eda080227d", "hex")],
    ["UTF-8 cut off", Buffer.from("7b2261223a22e282227d", "hex")],
    ["beyond Unicode", Buffer.from("7b2261223a22f4908080227d", "hex")],
    ["UTF-16LE", Buffer.from(goodText, "utf16le")],
    ["UTF-16LE with a BOM", Buffer.from(`\u{feff}${goodText}`, "utf16le")],
    ["UTF-16BE", Buffer.from(goodText, "utf16le").swap16()],
    [
      "UTF-32LE",
      Buffer.concat([...goodText].map((char) => Buffer.from([char.charCodeAt(0), 0, 0, 0]))),
    ],
    ["gzip without a header", gzipSync(goodText)],
    ["random bytes", Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 7919) % 256))],
  ];
  const fields: [string, unknown][] = [
    ["operators for an address", { to: [{ email: { $ne: null } }] }],
    ["a BSON type", { from: { email: { _bsontype: "ObjectId", id: "x" } } }],
    ["a where", { $where: "sleep(1000)" }],
    ["a dotted field", { "from.email": "a@b.example" }],
    ["a number for an address", { to: [{ email: 1 }] }],
    ["an id beyond integers", { to: [{ email: "a@b.example", attachments: [{ id: 2 ** 53 }] }] }],
    ["an id of a string", { to: [{ email: "a@b.example", attachments: [{ id: "1" }] }] }],
    ["an id with a fraction", { to: [{ email: "a@b.example", attachments: [{ id: 1.5 }] }] }],
    ["a list for an object", { variables: [] }],
    ["lists all along", { from: [], to: [[]] }],
    ["a NUL in a name", { from: { email: "a@b.example", name: "a\u{0}b" } }],
    ["another sender", { from: { email: "boss@sender.example" } }],
  ];
  return [
    ...long.map(([name, make]) => ({ name, make: text(make) })),
    ...read.map(([name, body]) => ({ name, make: text(() => body) })),
    ...bytes.map(([name, body]) => ({ name, make: () => body })),
    ...fields.map(([name, more]) =>
      ({ name, only: "send", make: () => json({ ...good, ...more as object }) }) as const
    ),
    bomb("gzip bomb", "gzip"),
    { name: "6 MB", make: () => Buffer.alloc(6_000_000, 32) },
    { name: "600 KB of variables", only: "render", make: () => json({ a: "x".repeat(600_000) }) },
  ];
}

function bomb(name: string, coding: string): AttackBody {
  return {
    name,
    headers: [`Content-Encoding: ${coding}`],
    make: () => gzipSync(Buffer.alloc(50_000_000, 32)),
  };
}

function nested(depth: number): string {
  return `{"variables":{"a":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}}`;
}

function keys(count: number, prefix = "k"): string {
  return `{${Array.from({ length: count }, (_, n) => `"${prefix}${n}":1`).join(",")}}`;
}

function many(objects: number): string {
  return Array.from({ length: objects }, (_, n) => keys(10_000, `k${n}_`)).join(",");
}

function recipients(to: unknown[]): string {
  return JSON.stringify({ from: { email: "shop@sender.example" }, to });
}

function unknownFields(): unknown[] {
  return Array(1000).fill({ email: "a@b.example", ...JSON.parse(keys(60)) });
}

function manyPdfs(): unknown[] {
  return Array.from({ length: 1000 }, (_, n) => ({
    email: "a@b.example",
    attachments: Array.from({ length: 10 }, (_, m) => ({ id: 1000 + 10 * n + m })),
  }));
}
