import { styleText } from "node:util";
import { formatRecord, isImportant, type Paint, parseLogLine } from "./log_line.ts";

/** The stream of a screen: the standard output. */
export interface Output {
  write(text: string): unknown;
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  hasColors?: (() => boolean) | undefined;
}

/** The display of the stack's progress: lines that stay, and on a terminal one that is rewritten. */
export interface Screen {
  paint: Paint;
  /** Writes lines that stay. */
  print(text: string): void;
  /** Shows the current activity; an empty text shows nothing. */
  status(text: string): void;
  /** Shows the output of a service, if it matters. */
  log(name: string, line: string): void;
  /** Shows a record of `npm start` itself, or of a part without a log. */
  say(level: "info" | "warn" | "error", message: string, name?: string): void;
}

const LONGEST_SILENCE_MS = 10_000;

/** Opens the screen on an output. Colours and rewriting are for terminals. */
export function openScreen(output: Output, { isVerbose }: { isVerbose: boolean }): Screen {
  const isTerminal = output.isTTY === true;
  const isColoured = isTerminal && output.hasColors?.() === true;
  const paint: Paint = (colour, text) =>
    isColoured ? styleText(colour, text, { validateStream: false }) : text;
  const status = isTerminal ? rewritten(output) : repeated(output);
  const look = () => ({ paint, isVerbose, columns: isTerminal ? columnsOf(output) : undefined });
  const print = (text: string) => {
    status.hide();
    output.write(`${text}\n`);
    status.show();
  };
  return {
    paint,
    print,
    status: status.set,
    log(name, line) {
      const record = parseLogLine(line) ??
        { time: new Date().toISOString(), level: "", message: line, fields: {} };
      if (isVerbose || record.level === "" || isImportant(record)) {
        print(formatRecord(name, record, look()));
      }
    },
    say(level, message, name = "posthaste") {
      const record = { time: new Date().toISOString(), level, message, fields: {} };
      print(formatRecord(name, record, look()));
    },
  };
}

/** Returns the width of a terminal; 80 for one that does not know it, which reports 0. */
function columnsOf({ columns }: Output): number {
  return columns || 80;
}

interface Status {
  set(text: string): void;
  hide(): void;
  show(): void;
}

function rewritten(output: Output): Status {
  let text = "";
  const hide = () => {
    if (text !== "") output.write("\r\x1b[K");
  };
  const show = () => {
    if (text !== "") output.write(text.slice(0, columnsOf(output) - 1));
  };
  const set = (next: string) => {
    hide();
    text = next;
    show();
  };
  return { set, hide, show };
}

/** Returns a status without rewriting: a line in which only the numbers differ is printed at intervals. */
function repeated(output: Output): Status {
  let last = "";
  let at = 0;
  return {
    set(text) {
      const kind = text.replaceAll(/\d+/g, "0");
      if (text === "" || (kind === last && Date.now() - at < LONGEST_SILENCE_MS)) return;
      last = kind;
      at = Date.now();
      output.write(`${text}\n`);
    },
    hide() {},
    show() {},
  };
}
