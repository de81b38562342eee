import { csvLine, csvText } from "./_csv_line.ts";
import { addressFault } from "./email_address.ts";
import { FILTER_TIME } from "./message_filters.ts";
import type { Suppression } from "./suppression.ts";

/** Maximum lines of a file of addresses that one request may have. */
export const MAX_CSV_LINES = 50_000;

/** Columns of a file with a suppression list. Reading needs only the first. */
const COLUMNS = ["email", "reason", "addedAt", "expiresAt", "reply", "messageId"] as const;

const EMAIL_NAMES = new Set(["email", "e-mail", "email address", "address", "recipient"]);
const EXPIRY_NAMES = new Set(["expiresat", "expires_at", "expires"]);

/** An address of a file, and where it stands. */
export interface CsvAddress {
  line: number;
  email: string;
  expiresAt?: Date;
}

/** What a file of addresses says. */
export interface ReadCsv {
  /** Valid addresses, each once, in the order of the file. */
  addresses: CsvAddress[];
  /** Lines that are left out, and why. */
  invalid: { line: number; message: string }[];
}

/** The first line of a file with a suppression list. */
export const SUPPRESSION_CSV_HEAD = csvLine(COLUMNS);

/** Returns the line of an entry in a file: {@linkcode csvLine}. */
export function suppressionCsvLine(
  entry: Omit<Suppression, "_id" | "accountId"> & { email: string },
): string {
  const { email, reason, at, expiresAt, reply, messageId } = entry;
  const codes = [reply?.code, reply?.enhanced].filter((part) => part !== undefined).join(" ");
  const cells: Record<(typeof COLUMNS)[number], string> = {
    ...{ email, reason, addedAt: at.toISOString(), expiresAt: expiresAt?.toISOString() ?? "" },
    ...{ reply: codes, messageId: messageId ?? "" },
  };
  return csvLine(COLUMNS.map((name) => cells[name]));
}

/**
 * Reads a file of addresses: CSV with commas, semicolons or tabs, or one address a line. The first line may name
 * the columns: `email`, and `expiresAt` for when an entry ends. Empty lines are skipped. A later line with an
 * address of an earlier one is left out.
 *
 * @throws {RangeError} If it has more than {@linkcode MAX_CSV_LINES} lines.
 */
export function readSuppressionCsv(text: string, now: Date): ReadCsv {
  const rows = rowsOf(text.replace(/^\u{feff}/u, ""));
  const names = rows[0]?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const named = names.findIndex((name) => EMAIL_NAMES.has(name));
  const emailAt = Math.max(0, named);
  const expiryAt = named < 0 ? -1 : names.findIndex((name) => EXPIRY_NAMES.has(name));
  const addresses = new Map<string, CsvAddress>();
  const invalid: ReadCsv["invalid"] = [];
  for (const { line, cells } of named < 0 ? rows : rows.slice(1)) {
    const email = csvText(cells[emailAt]);
    const expiry = expiryAt < 0 ? "" : csvText(cells[expiryAt]);
    const message = faultOf(email, expiry, now);
    if (message !== undefined) {
      invalid.push({ line, message });
      continue;
    }
    const known = email.toLowerCase();
    if (addresses.has(known)) continue;
    addresses.set(known, {
      ...{ line, email },
      ...(expiry === "" ? {} : { expiresAt: new Date(expiry) }),
    });
  }
  return { addresses: [...addresses.values()], invalid };
}

function faultOf(email: string, expiry: string, now: Date): string | undefined {
  const fault = addressFault(email);
  if (fault !== undefined) return `the address ${fault}`;
  if (expiry === "") return undefined;
  const { data, error } = FILTER_TIME.safeParse(expiry);
  if (data === undefined) return `expiresAt ${error?.issues[0]?.message ?? "is not valid"}`;
  return data <= now ? "expiresAt is in the past" : undefined;
}

interface Row {
  /** Where it begins; the first line is 1. */
  line: number;
  cells: string[];
}

/** Returns the rows of a file, without empty ones. A quoted cell may contain separators and line breaks. */
function rowsOf(text: string): Row[] {
  const separator = separatorOf(text);
  const part = new RegExp(
    `"((?:[^"]|"")*)"|[^"${separator}\\r\\n]+|"|${separator}|\\r\\n|\\r|\\n`,
    "g",
  );
  const rows: Row[] = [];
  let row: Row = { line: 1, cells: [""] };
  let line = 1;
  const end = () => {
    if (row.cells.some((cell) => cell.trim() !== "")) rows.push(row);
    row = { line, cells: [""] };
  };
  for (const [found, quoted] of text.matchAll(part)) {
    if (found === "\r\n" || found === "\r" || found === "\n") {
      line++;
      if (line > MAX_CSV_LINES + 2) throw new RangeError(`more than ${MAX_CSV_LINES} lines`);
      end();
    } else if (found === separator) row.cells.push("");
    else {
      line += quoted?.split(/\r\n|\r|\n/).length ?? 1;
      line--;
      row.cells[row.cells.length - 1] += quoted?.replaceAll('""', '"') ?? found;
    }
  }
  end();
  return rows;
}

/** Returns the separator that the first line has most. */
function separatorOf(text: string): string {
  const first = /^[^\r\n]*/.exec(text)?.[0] ?? "";
  const counted = [",", ";", "\t"].map((mark) => ({ mark, count: first.split(mark).length }));
  return counted.reduce((most, one) => one.count > most.count ? one : most).mark;
}
