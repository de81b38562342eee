import {
  codesByStatus,
  type Endpoint,
  ENDPOINTS,
  ERROR_MEANINGS,
  ERROR_STATUS,
  type ErrorCode,
  ISSUE_CODES,
  ISSUE_MEANINGS,
  scopesText,
  V1_FORM,
} from "@posthaste/contracts";
import { limitRows } from "./http_limits.ts";

/** A table below its mark: `<!-- Written by tools/openapi.ts: endpoints -->`. */
const TABLE = /(<!-- Written by tools\/openapi\.ts: (.+) -->\n\n)(?:\|.*\n)+/g;

/** Titles of the tables that docs/http.md must have, with those of single endpoints. */
const TABLES: Readonly<Record<string, () => string>> = {
  "endpoints": endpointTable,
  "codes of errors": () => errorTable(codesByStatus(ANY, V1_FORM)),
  "codes of issues": issueTable,
  "errors of renderTemplate": () => errorTable(ownCodes("renderTemplate")),
  "errors of renderPdfTemplate": () => errorTable(ownCodes("renderPdfTemplate")),
  "limits": () => tableOf(["limit", "default", "setting"], limitRows()),
};

/**
 * Writes the tables of docs/http.md anew, out of the lists of `libs/contracts` and the settings of the api, and
 * returns the page.
 *
 * @throws {Error} If a table is missing, is there twice, or has an unknown title.
 */
export function withHttpTables(page: string): string {
  const found: string[] = [];
  const written = page.replaceAll(TABLE, (_table, mark: string, title: string) => {
    const table = Object.hasOwn(TABLES, title) ? TABLES[title] : undefined;
    if (table === undefined) throw new Error(`Cannot write docs/http.md: no table "${title}"`);
    found.push(title);
    return `${mark}${table()}\n`;
  });
  for (const title of Object.keys(TABLES)) {
    if (found.filter((each) => each === title).length === 1) continue;
    throw new Error(`Cannot write docs/http.md: it must have the table "${title}" once`);
  }
  return written;
}

/** An endpoint that would have every code. */
const ANY: Endpoint = {
  ...ENDPOINTS[0] as Endpoint,
  codes: Object.keys(ERROR_STATUS) as ErrorCode[],
  // It is 400 in a body, and 404 in a path.
  unknown: ["unknown_pdf_template"],
};

function endpointTable(): string {
  const rows = ENDPOINTS.map(({ method, path, section, scopes, summary }) => {
    if (section === undefined) throw new Error(`Cannot write docs/http.md: no section of ${path}`);
    return [`[\`${method} ${path}\`](#${section})`, scopesText(scopes), lowerFirst(summary)];
  });
  return tableOf(["endpoint", "scope", "does"], rows);
}

function issueTable(): string {
  const rows = ISSUE_CODES.map((code) => [codeText([code]), ISSUE_MEANINGS[code]]);
  return tableOf(["code", "the field"], rows);
}

/** Returns the codes of an endpoint by their status, without those that every endpoint has. */
function ownCodes(operation: string): Map<number, ErrorCode[]> {
  const endpoint = ENDPOINTS.find((each) => each.operation === operation);
  if (endpoint === undefined) throw new Error(`Cannot write docs/http.md: no "${operation}"`);
  return codesByStatus(endpoint, { ...V1_FORM, common: [], ofBodies: [] });
}

function errorTable(codes: ReadonlyMap<number, readonly ErrorCode[]>): string {
  const rows = [...codes].flatMap(([status, all]) =>
    [...Map.groupBy(new Set(all), (code) => ERROR_MEANINGS[code])].map(([meaning, same]) => [
      `${status}`,
      // 401 has a fixed body without a code.
      status === 401 ? "none" : codeText(same),
      meaning,
    ])
  );
  return tableOf(["status", "code", "when"], rows);
}

function codeText(codes: readonly string[]): string {
  return codes.map((code) => `\`${code}\``).join(", ");
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
