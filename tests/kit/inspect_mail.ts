import { Buffer } from "node:buffer";
import { domainToASCII } from "node:url";
import { simpleParser } from "mailparser";
import PostalMime from "postal-mime";

/** The expected properties of a mail. */
export interface ExpectedMail {
  /** The addresses as they go over the wire. */
  readonly from: string;
  readonly to: string;
  /** Of the headers, in lower case and in order. */
  readonly headers: readonly string[];
  /** Where they are known: the texts, whatever their line ends. */
  readonly html?: string;
  readonly text?: string;
  readonly attachments: number;
}

// deno-lint-ignore no-control-regex -- what a program that decodes a header might write into another
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/;

/**
 * Returns every fault of a mail as received over the wire, by its bytes and by two independent parsers: an
 * added header, recipient or part, or characters that end a line or a mail for one server and not for
 * another.
 */
export async function inspectMail(raw: Buffer, expected: ExpectedMail): Promise<string[]> {
  return [
    ...bytesOf(raw, expected),
    ...await postalSays(raw, expected),
    ...await mailparserSays(raw, expected),
  ];
}

function bytesOf(raw: Buffer, { headers }: ExpectedMail): string[] {
  const text = raw.toString("latin1");
  // Any known line end ends a header here.
  const names = (text.split("\r\n\r\n")[0] ?? "").split(/\r\n|\r|\n|\0|\x85/)
    .filter((line) => !/^[ \t]+\S/.test(line))
    .map((line) => line.slice(0, line.indexOf(":")).toLowerCase());
  const faults = names.join() === headers.join() ? [] : [`its headers are ${names.join()}`];
  if (/\r(?!\n)|(?<!\r)\n/.test(text)) faults.push("it has a bare line end");
  if (text.includes("\0")) faults.push("it has a NUL");
  if (/^\./m.test(text)) faults.push("a line starts with a dot");
  if (text.split("\r\n").some((line) => line.length > 998)) faults.push("a line is too long");
  return faults;
}

async function postalSays(raw: Buffer, expected: ExpectedMail): Promise<string[]> {
  const mail = await PostalMime.parse(raw);
  const read = {
    from: onWire(mail.from?.address),
    to: mail.to?.map(({ address }) => onWire(address)).join(),
    others: [mail.cc, mail.bcc, mail.replyTo].flat().filter((one) => one !== undefined).length,
    html: mail.html,
    text: mail.text,
    attachments: mail.attachments.length,
  };
  const shown = [
    mail.subject,
    mail.from?.name,
    ...mail.to?.map(({ name }) => name) ?? [],
    ...mail.attachments.map(({ filename }) => filename),
  ];
  const hasControl = shown.some((value) => CONTROL.test(value ?? ""));
  return [
    ...differences("postal-mime", read, expected),
    ...(hasControl ? ["postal-mime decodes a control character in a header"] : []),
  ];
}

async function mailparserSays(raw: Buffer, expected: ExpectedMail): Promise<string[]> {
  const mail = await simpleParser(raw, { skipTextToHtml: true, skipImageLinks: true });
  const to = [mail.to ?? []].flat().flatMap(({ value }) => value);
  const read = {
    from: mail.from?.value.map(({ address }) => onWire(address)).join(),
    to: to.map(({ address }) => onWire(address)).join(),
    others: [mail.cc, mail.bcc, mail.replyTo].flat().filter((one) => one !== undefined).length,
    html: mail.html || "",
    text: mail.text,
    attachments: mail.attachments.length,
  };
  return differences("mailparser", read, expected);
}

function differences(
  parser: string,
  read: {
    from: string | undefined;
    to: string | undefined;
    others: number;
    html: string | undefined;
    text: string | undefined;
    attachments: number;
  },
  { from, to, html, text, attachments }: ExpectedMail,
): string[] {
  const faults: string[] = [];
  if (read.from !== from) faults.push(`${parser} reads the sender "${read.from}"`);
  if (read.to !== to) faults.push(`${parser} reads the recipient "${read.to}"`);
  if (read.others > 0) faults.push(`${parser} reads ${read.others} more addresses`);
  if (read.attachments !== attachments) faults.push(`${parser} reads ${read.attachments} files`);
  if (html !== undefined && plain(read.html) !== plain(html)) faults.push(`${parser}: other HTML`);
  if (text !== undefined && plain(read.text) !== plain(text)) faults.push(`${parser}: other text`);
  return faults;
}

/** Returns an address in ASCII: parsers may show a domain in Unicode. */
function onWire(address = ""): string {
  const at = address.lastIndexOf("@") + 1;
  return address.slice(0, at) + (domainToASCII(address.slice(at)) || address.slice(at));
}

function plain(text = ""): string {
  return text.replace(/\r\n?|\n/g, "\n").toWellFormed().trim();
}
