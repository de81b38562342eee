/**
 * Writes each service's permissions into docs/security.md, out of `libs/runtime/permissions.ts`.
 *
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import {
  DESTINATIONS,
  EVERY_PROGRAM,
  permissionsFor,
  PERMITTED_SERVICES,
  type PermittedService,
  type PlaceName,
  PLACES,
} from "@posthaste/runtime";

const PAGE = new URL("../docs/security.md", import.meta.url);
const START =
  "<!-- Made by tools/permissions_page.ts out of libs/runtime/permissions.ts: do not edit. -->";
const END = "<!-- End of what is made. -->";
const CALLED: Readonly<Record<PlaceName, string>> = {
  cache: "its cache",
  temporary: "the temporary folder",
  browser: "the browser",
  processes: "`/proc`",
  mails: "its mails",
};

/** Returns a page with the table between its two marks. @throws {Error} They are not there. */
function withPermissionsTable(page: string): string {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) {
    throw new Error("Cannot find the place of the table of permissions");
  }
  return `${page.slice(0, start)}${START}\n\n${table()}\n\n${page.slice(end)}`;
}

function table(): string {
  return [
    "| service | dials, at ports; listens | files beside its code, programs | secrets |",
    "| --- | --- | --- | --- |",
    `| every service | ${networkOf(EVERY_PROGRAM)} | | |`,
    ...PERMITTED_SERVICES.map(rowOf),
    "",
    "Their rights at the broker and the database:",
    "",
    ...PERMITTED_SERVICES.flatMap(rightsOf),
  ].join("\n");
}

function rowOf(name: PermittedService): string {
  const { reads = [], writes = [], starts = [], threads, secrets = [] } = permissionsFor(name);
  const files = [
    phrase("reads", reads.map(placeOf)),
    phrase("writes", writes.map(placeOf)),
    phrase("starts", [...starts.map(placeOf), ...(threads ? ["threads"] : [])]),
  ];
  const cells = [
    name,
    networkOf(permissionsFor(name)),
    joined(files),
    secrets.map(code).join(", "),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Returns a list item: these rights are too long for cells of a table. */
function rightsOf(name: PermittedService): string[] {
  return [`- ${name}`, `  - broker: ${brokerOf(name)}`, `  - database: ${databaseOf(name)}`];
}

function networkOf(
  { dials, listens = {} }: Pick<ReturnType<typeof permissionsFor>, "dials" | "listens">,
): string {
  const dialled = dials.map((to) => [DESTINATIONS[to].called, DESTINATIONS[to].ports.join(", ")])
    .map(([called, ports]) => ports ? `${called} (${ports})` : called as string);
  const heard = Object.entries(listens).map(([setting, port]) =>
    port === 0 ? `any port of ${code(setting)}` : `${port}`
  );
  return [dialled.join("; "), phrase("listens at", heard)].filter((part) => part !== "").join("; ");
}

function brokerOf(name: PermittedService): string {
  const { broker } = permissionsFor(name);
  if (broker === undefined) return "";
  return joined([
    phrase("publishes", broker.makes.map(code)),
    phrase("consumes", (broker.consumes ?? []).map(code)),
    phrase("reads", (broker.reads ?? []).map(code)),
    phrase("writes", (broker.writes ?? []).map(code)),
    phrase("answers", broker.answers ?? []),
    broker.looks ? "looks at queues" : "",
    broker.purges ? "removes from streams what was passed" : "",
  ]);
}

/** Returns the collections grouped by rights, so that a row stays short. */
function databaseOf(name: PermittedService): string {
  const { database = {}, databaseSizes } = permissionsFor(name);
  const groups = new Map<string, string[]>();
  for (const [collection, actions] of Object.entries(database)) {
    const key = actions.join(", ");
    groups.set(key, [...groups.get(key) ?? [], code(collection)]);
  }
  const parts = [...groups].map(([actions, names]) => `${actions}: ${names.join(", ")}`);
  return joined([...parts, databaseSizes ? "`dbStats`" : ""]) || "no user";
}

function placeOf(path: string): string {
  return path in PLACES ? CALLED[path as PlaceName] : code(path);
}

function phrase(verb: string, what: readonly string[]): string {
  return what.length === 0 ? "" : `${verb} ${what.join(", ")}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join("; ");
}

function code(text: string): string {
  return `\`${text}\``;
}

/** Writes the table; with `--check` it only reports whether it is stale. */
export async function writePermissionsPage(): Promise<void> {
  const found = await readFile(PAGE, "utf8");
  const page = withPermissionsTable(found);
  if (!process.argv.includes("--check")) await writeFile(PAGE, page);
  else if (found !== page) {
    process.stderr.write("docs/security.md is stale: run node tools/write_permissions.ts\n");
    process.exitCode = 1;
  }
}
