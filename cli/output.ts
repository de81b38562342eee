import { styleText } from "node:util";
import type { CommandError, CommandIssue } from "./command_error.ts";
import { printable, printableJson, printableLine } from "./printable.ts";
import { type Cell, table } from "./table.ts";

type Format = Parameters<typeof styleText>[0];

/** The streams of an {@linkcode Output}. */
export interface OutputOptions {
  stdout: NodeJS.WriteStream;
  stderr: NodeJS.WriteStream;
  /** Only JSON on the standard output. */
  json: boolean;
}

/**
 * The output of a command: its result goes to the standard output, everything else to the standard error.
 * Colours only on a terminal, and not if `NO_COLOR` is set.
 */
export class Output {
  readonly json: boolean;
  readonly #stdout: NodeJS.WriteStream;
  readonly #stderr: NodeJS.WriteStream;

  constructor({ stdout, stderr, json }: OutputOptions) {
    this.json = json;
    this.#stdout = stdout;
    this.#stderr = stderr;
  }

  /** Whether the result goes to a terminal. */
  get isTerminal(): boolean {
    return this.#stdout.isTTY === true;
  }

  /** Columns of the terminal; 0 if the result goes elsewhere. */
  get width(): number {
    return this.#stdout.isTTY ? this.#stdout.columns : 0;
  }

  /** Colours a part of the result. */
  style(format: Format, text: string): string {
    return styleText(format, text, { stream: this.#stdout });
  }

  /** Returns the colouring of a part of the result, for a {@linkcode Cell}. */
  styler(format: Format): (text: string) => string {
    return (text) => this.style(format, text);
  }

  /** Lays out a table for the result. */
  table(
    head: readonly string[],
    rows: readonly (readonly (string | Cell)[])[],
    indent = "",
  ): string {
    return table(head, rows, { width: this.width, indent, head: this.styler("dim") });
  }

  /** Writes the result: the value as JSON, or the text for people. */
  result(value: unknown, say: () => string): void {
    if (this.json) this.data(value);
    else this.line(say());
  }

  /** Writes a value as JSON. */
  data(value: unknown): void {
    this.line(printableJson(value));
  }

  /** Writes a line of the result. */
  line(text: string): void {
    this.#stdout.write(`${text}\n`);
  }

  /** Writes as it is, without a line break. */
  raw(text: string): void {
    this.#stdout.write(text);
  }

  /** Writes a part of a file with others' words: as it is into a file, printable on a terminal. */
  part(text: string): void {
    this.raw(this.isTerminal ? printable(text) : text);
  }

  /** Writes a remark about the result, dimly. */
  note(text: string): void {
    this.#stderr.write(`${this.#mark("dim", printableLine(text))}\n`);
  }

  /** Warns; the place comes first, as editors and terminals link it. */
  warn(text: string, at = ""): void {
    const place = at === "" ? "" : `${printableLine(at)}: `;
    this.#stderr.write(`${place}${this.#mark("yellow", "warning:")} ${printable(text)}\n`);
  }

  /** Reports why a part of the command failed. */
  fault(text: string, at = ""): void {
    const place = at === "" ? "" : `${printableLine(at)}: `;
    this.#stderr.write(`${place}${this.#mark(["red", "bold"], "error:")} ${printable(text)}\n`);
  }

  /** Warns, in red, of a risk to secrets. */
  danger(text: string): void {
    this.#stderr.write(`${this.#mark(["red", "bold"], "DANGER:")} ${printable(text)}\n`);
  }

  /** Returns why the command failed, all faults, and what can be done. */
  fail({ message, issues, remedy }: CommandError): void {
    // The message of the interface names a lone fault itself.
    const isNamed = issues.length === 1 &&
      issues.every((issue) => message.endsWith(`${issue.at}: ${issue.message}`));
    const lines = [
      `${this.#mark(["red", "bold"], "error:")} ${printable(message)}`,
      ...(isNamed ? [] : issues).map((issue) => `  ${this.#issue(issue)}`),
      ...remedy === undefined ? [] : [`${this.#mark("cyan", "remedy:")} ${printable(remedy)}`],
    ];
    this.#stderr.write(`${lines.join("\n")}\n`);
    if (!this.json) return;
    const error = { error: message, ...(remedy === undefined ? {} : { remedy }) };
    this.data(issues.length === 0 ? error : { ...error, issues });
  }

  /** Colours the message about wrong arguments. */
  paintUsage(text: string): string {
    return text.replace(/^error:/, this.#mark(["red", "bold"], "error:"));
  }

  #issue({ at, message }: CommandIssue): string {
    const place = at === "" ? "" : `${this.#mark("bold", printableLine(at))}: `;
    return place + printableLine(message);
  }

  #mark(format: Format, text: string): string {
    return styleText(format, text, { stream: this.#stderr });
  }
}
