import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addressFault,
  emailAddressSchema,
  maskAddress,
  MAX_ADDRESS_BYTES,
  normalizeAddress,
} from "./email_address.ts";

const LONGEST_LOCAL = "a".repeat(64);
const LABEL = "b".repeat(63);
/** Characters so far apart that their A-label is longer than a label may be. */
const SCATTERED = Array.from(
  { length: 40 },
  (_, at) => String.fromCodePoint(0x4e00 + (at * 7919) % 20_000),
).join("");

const ACCEPTED: Record<string, string> = {
  "a plain address": "ann@example.com",
  "dots, plus and dashes": "ann.lee+news-1@mail.example-shop.co.uk",
  "every special character of a dot-atom": "!#$%&'*+/=?^_`{|}~-@example.com",
  "one letter on both sides": "a@b.c",
  "digits": "123@456.example",
  "an A-label": "ann@xn--bcher-kva.example",
  "an international domain": "ann@bücher.example",
  "an international local part": "用户@例子.广告",
  "a combining mark in the domain": "ann@हिन्दी.example",
  "the longest local part": `${LONGEST_LOCAL}@example.com`,
  "the longest label": `ann@${LABEL}.com`,
  "the longest address": `${LONGEST_LOCAL}@${LABEL}.${LABEL}.${"c".repeat(61)}`,
};

const REFUSED: Record<string, [address: string, fault: RegExp]> = {
  "nothing": ["", /empty/],
  "no @": ["ann.example.com", /name@domain/],
  "no local part": ["@example.com", /name@domain/],
  "no domain": ["ann@", /valid domain/],
  "two @": ["ann@lee@example.com", /name@domain/],
  "a line break": ["ann@example.com\r\nBcc: bob@example.com", /line breaks/],
  "a bare line feed": ["ann@example.com\n", /line breaks/],
  "a null": ["ann\0@example.com", /control/],
  "a blank before": [" ann@example.com", /blanks/],
  "a blank inside": ["ann lee@example.com", /blanks/],
  "a no-break space": ["ann\u{a0}lee@example.com", /blanks/],
  "an em space": ["ann\u{2003}lee@example.com", /blanks/],
  "an ideographic space": ["ann\u{3000}@example.com", /blanks/],
  "a zero width space": ["ann\u{200b}@example.com", /invisible/],
  "a soft hyphen": ["ann\u{ad}@example.com", /invisible/],
  "a byte order mark": ["\u{feff}ann@example.com", /invisible/],
  "an override of direction": ["ann\u{202e}@example.com", /invisible/],
  "an Arabic letter mark": ["ann\u{61c}@example.com", /invisible/],
  "a Hangul filler": ["ann\u{3164}@example.com", /invisible/],
  "an empty braille pattern": ["ann\u{2800}@example.com", /invisible/],
  "a variation selector": ["ann\u{fe0f}@example.com", /invisible/],
  "a tag": ["ann\u{e0041}@example.com", /invisible/],
  "a lone surrogate": ["ann\u{d800}@example.com", /invisible/],
  "a replacement character": ["ann\u{fffd}@example.com", /invisible/],
  "a comment": ["ann(comment)@example.com", /comments/],
  "a comment in the domain": ["ann@example(comment).com", /valid domain/],
  "quotes": ['"ann"@example.com', /quotes/],
  "a quoted @": ['"ann@lee"@example.com', /name@domain/],
  "a name with angle brackets": ["Ann<ann@example.com>", /comments/],
  "a group": ["friends:ann@example.com;", /groups/],
  "several by comma": ["ann@example.com,bob@example.com", /name@domain/],
  "several by semicolon": ["bob;ann@example.com", /several/],
  "a route": ["@relay.example:ann@example.com", /name@domain/],
  "a backslash": ["ann\\lee@example.com", /quotes/],
  "two dots": ["ann..lee@example.com", /quotes/],
  "a leading dot": [".ann@example.com", /quotes/],
  "a trailing dot in the local part": ["ann.@example.com", /quotes/],
  "a trailing dot in the domain": ["ann@example.com.", /valid domain/],
  "a single label": ["ann@localhost", /valid domain/],
  "a leading dash": ["ann@-example.com", /valid domain/],
  "a trailing dash": ["ann@example-.com", /valid domain/],
  "an underscore in the domain": ["ann@my_host.example", /valid domain/],
  "an address literal": ["ann@[127.0.0.1]", /valid domain/],
  "an IP address": ["ann@127.0.0.1", /not an IP address/],
  "an encoded word": ["=?utf-8?q?bob=40example.net=3E=00?=@example.com", /encoded word/],
  "a full-width @": ["ann＠example.net@example.com", /quotes/],
  "a full-width angle bracket": ["ann＞@example.com", /quotes/],
  "a small comma": ["bob﹐ann@example.com", /quotes/],
  "a one dot leader": ["ann․@example.com", /quotes/],
  "an IP address in full-width digits": ["ann@１２７.０.０.１", /not an IP address/],
  "an A-label that is none": ["ann@xn--é.example", /valid domain/],
  "a label too long in ASCII": [`ann@${SCATTERED}.example`, /valid domain/],
  "a percent-encoded dot": ["ann@example%2ecom", /valid domain/],
  "a local part too long": [`${LONGEST_LOCAL}a@example.com`, /64 bytes/],
  "a local part too long in bytes only": [`${"ä".repeat(33)}@example.com`, /64 bytes/],
  "a label too long": [`ann@${LABEL}b.com`, /valid domain/],
  "an address too long": [`${LONGEST_LOCAL}@${LABEL}.${LABEL}.${"c".repeat(62)}`, /254 bytes/],
};

test("addressFault() accepts one plain address", async (t) => {
  for (const [what, address] of Object.entries(ACCEPTED)) {
    await t.test(what, () => assert.equal(addressFault(address), undefined));
  }
});

test("addressFault() refuses everything but exactly one plain address", async (t) => {
  for (const [what, [address, fault]] of Object.entries(REFUSED)) {
    await t.test(what, () => assert.match(addressFault(address) ?? "accepted", fault));
  }
});

test("addressFault() counts the longest address in bytes", () => {
  const longest = ACCEPTED["the longest address"] ?? "";
  assert.equal(Buffer.byteLength(longest), MAX_ADDRESS_BYTES);
});

test("emailAddressSchema has the fault as its only issue", () => {
  const result = emailAddressSchema.safeParse("ann");
  assert.deepEqual(result.error?.issues.map(({ message }) => message), [
    "must be one address in the form name@domain",
  ]);
  assert.equal(emailAddressSchema.parse("Ann@Example.com"), "Ann@Example.com");
});

test("normalizeAddress() puts the domain in lower case and leaves the rest", () => {
  assert.equal(normalizeAddress("Ann@Example.COM"), "Ann@example.com");
});

test("maskAddress() keeps the first character and the domain", () => {
  assert.equal(maskAddress("jane@example.com"), "j…@example.com");
  assert.equal(maskAddress("😀jane@example.com"), "😀…@example.com");
  assert.equal(maskAddress("jane"), "…");
});
