import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { test } from "node:test";
import {
  parseReply,
  ReplyError,
  type ReplyFault,
  ReplyParser,
  type SmtpReply,
} from "./reply_parser.ts";

/** Reads text, cut at the positions in `cuts`. */
function read(text: string | Buffer, cuts: readonly number[] = []): SmtpReply[] {
  const bytes = Buffer.from(text as string);
  const parser = new ReplyParser();
  const replies: SmtpReply[] = [];
  const edges = [0, ...cuts, bytes.length];
  for (const [at, start] of edges.slice(0, -1).entries()) {
    parser.read(bytes.subarray(start, edges[at + 1]), (reply) => void replies.push(reply));
  }
  return replies;
}

test("read() parses a reply into code, enhanced code and lines", () => {
  assert.deepEqual(read("250-a\r\n250-b c\r\n250 \r\n550 5.1.1 no such user\r\n"), [
    { code: 250, lines: ["a", "b c", ""], text: "250-a\n250-b c\n250 " },
    {
      code: 550,
      enhanced: "5.1.1",
      lines: ["5.1.1 no such user"],
      text: "550 5.1.1 no such user",
    },
  ]);
});

test("read() accepts what RFC 5321 requires of a client: no text, any text, only a line feed", () => {
  const codes = read("250\r\n250 \n354\n599 \0\0 ü\r\n250-\n250\n").map(({ code }) => code);
  assert.deepEqual(codes, [250, 250, 354, 599, 250]);
  assert.equal(read("250 Grüße\r\n")[0]?.text, "250 Grüße");
  const latin1 = Buffer.from("250 Gr\xfc\xdfe\r\n", "latin1");
  assert.equal(read(latin1)[0]?.text, "250 Grüße");
});

test("read() accepts an enhanced code only if it is valid", () => {
  const enhanced = (text: string) => read(`${text}\r\n`)[0]?.enhanced;
  assert.equal(enhanced("550 5.1.1"), "5.1.1");
  for (const text of ["550 5.1.1x", "550 3.1.1 a", "550 5.1 a", "550 x 5.1.1", "550 5.1.1.1"]) {
    assert.equal(enhanced(text), undefined, text);
  }
});

test("read() refuses bytes that are no reply, and those beyond the limits of a reply", () => {
  const cases: [string, ReplyFault][] = [
    ["\r\n", "malformed"],
    ["what?\r\n", "malformed"],
    ["999 what\r\n", "malformed"],
    ["199 what\r\n", "malformed"],
    ["2500 what\r\n", "malformed"],
    ["25\r\n", "malformed"],
    ["250-a\r\n550 b\r\n", "mixed_codes"],
    [`250 ${"x".repeat(9_000)}\r\n`, "line_too_long"],
    ["x".repeat(9_000), "line_too_long"],
    ["250-a\r\n".repeat(1_001), "too_many_lines"],
    [`250-${"x".repeat(8_000)}\r\n`.repeat(9), "too_large"],
  ];
  for (const [text, fault] of cases) {
    for (const cuts of [[], [1], [2, 3, 5]]) {
      assert.throws(() => read(text, cuts.filter((at) => at < text.length)), (error) => {
        assert.ok(error instanceof ReplyError);
        return error.fault === fault;
      }, `${text.slice(0, 20)} is ${fault}`);
    }
  }
});

test("read() returns the replies before a fault, and stops when `take` returns false", () => {
  const taken: number[] = [];
  const parser = new ReplyParser();
  assert.throws(() => {
    parser.read(Buffer.from("220 a\r\n250 b\r\nno\r\n"), ({ code }) => void taken.push(code));
  });
  assert.deepEqual(taken, [220, 250]);
  const other = new ReplyParser();
  other.read(Buffer.from("220 go\r\n250 injected\r\n250-half"), () => false);
  assert.equal(other.isInside, false);
});

/** Returns a generator of numbers below `limit`, which repeats for the same seed. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test("read() reads the same replies wherever the bytes are cut", () => {
  for (let seed = 0; seed < 500; seed++) {
    const random = randomFrom(seed);
    const text = Array.from({ length: 1 + random(4) }, () => {
      const code = 200 + random(400);
      const lines = 1 + random(4);
      return Array.from({ length: lines }, (_, at) => {
        const words = ["", "5.1.1 x", "grüße 🎉", "-", "250 x", "\0"][random(6)] ?? "";
        const end = ["\r\n", "\n"][random(2)] ?? "";
        return `${code}${at < lines - 1 ? "-" : " "}${words}${end}`;
      }).join("");
    }).join("");
    const bytes = Buffer.from(text);
    const whole = read(text);
    const cuts = Array.from({ length: random(8) }, () => random(bytes.length)).sort((a, b) =>
      a - b
    );
    assert.deepEqual(read(text, cuts), whole, JSON.stringify(text));
    assert.deepEqual(read(text, Array.from(bytes.keys()).slice(1)), whole, JSON.stringify(text));
  }
});

test("read() throws only a ReplyError, and the same one, for any bytes in any pieces", () => {
  const outcome = (text: string, cuts: readonly number[]) => {
    try {
      return read(text, cuts).length;
    } catch (error) {
      assert.ok(error instanceof ReplyError, String(error));
      return error.fault;
    }
  };
  for (let seed = 0; seed < 2_000; seed++) {
    const random = randomFrom(seed);
    const alphabet = ["2", "5", "0", "-", " ", "\r", "\n", "\r\n", "250 ok\r\n", "250-", "\0", "."];
    const text = Array.from({ length: random(30) }, () => alphabet[random(12)]).join("");
    const cuts = Array.from({ length: random(6) }, () => random(text.length + 1))
      .sort((a, b) => a - b);
    assert.equal(outcome(text, cuts), outcome(text, []), JSON.stringify(text));
  }
});

test("parseReply() reads the text of one reply, and nothing else", () => {
  assert.deepEqual(parseReply("250-a\n250 b"), {
    code: 250,
    lines: ["a", "b"],
    text: "250-a\n250 b",
  });
  assert.equal(parseReply("hello"), undefined);
  assert.equal(parseReply(""), undefined);
});
