/** Colours that a line may have. */
export type Colour = "red" | "yellow" | "green" | "cyan" | "magenta" | "blue" | "gray" | "bold";

/** Returns a text in a colour, or unchanged. */
export type Paint = (colour: Colour, text: string) => string;

/** One record of a service's log. */
export interface LogRecord {
  /** ISO 8601. */
  time: string;
  level: string;
  message: string;
  /** All other fields. */
  fields: Readonly<Record<string, unknown>>;
}

/** How records are shown. */
export interface LogLook {
  paint: Paint;
  /** Whether every field is shown, traces and stacks as well. */
  isVerbose: boolean;
  /** Columns of the terminal: longer records continue below. `undefined` never breaks a line. */
  columns?: number | undefined;
}

const NAME_COLOURS: Readonly<Record<string, Colour>> = {
  api: "cyan",
  renderer: "magenta",
  pdf: "blue",
  mailer: "green",
  tracker: "yellow",
  inbox: "green",
  posthaste: "bold",
};
const LEVEL_COLOURS: Readonly<Record<string, Colour>> = { warn: "yellow", error: "red" };
const NAME_WIDTH = Math.max(...Object.keys(NAME_COLOURS).map((name) => name.length));
const INDENT = "00:00:00 ".length + NAME_WIDTH + 1;

/** Records below `warn` that people want to see nevertheless. */
const IMPORTANT = new Set(["Redispatched", "Mail arrived"]);
const HIDDEN = new Set(["traceId", "spanId", "pid", "healthPort"]);

/** Reads a line of a log; `undefined` if it is something else. */
export function parseLogLine(line: string): LogRecord | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { time, level, service: _service, message, ...fields } = JSON.parse(line);
    const isRecord = [time, level, message].every((value) => typeof value === "string");
    return isRecord ? { time, level, message, fields } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a record is shown without `--verbose`. */
export function isImportant({ level, message }: Pick<LogRecord, "level" | "message">): boolean {
  return level === "warn" || level === "error" || IMPORTANT.has(message);
}

/** Returns a record as text for people: time, service, message, fields, and the level where it matters. */
export function formatRecord(name: string, record: LogRecord, look: LogLook): string {
  const { paint, isVerbose, columns } = look;
  const { level, message } = record;
  const levelColour = LEVEL_COLOURS[level];
  const words: { text: string; colour?: Colour | undefined }[] = [];
  if (levelColour !== undefined || level === "debug") {
    words.push({ text: level, colour: levelColour ?? "gray" });
  }
  for (const text of message.split(" ")) words.push({ text, colour: undefined });
  for (const [key, value] of Object.entries(record.fields)) {
    if (!isVerbose && HIDDEN.has(key)) continue;
    const shown = `${key}=${formatValue(value, isVerbose)}`;
    for (const text of shown.split(" ")) words.push({ text, colour: "gray" });
  }
  const nameColour = NAME_COLOURS[name] ?? "gray";
  const head = `${paint("gray", clock(record.time))} ${
    paint(nameColour, name.padEnd(NAME_WIDTH))
  } `;
  return head + flow(words, { paint, room: columns === undefined ? Infinity : columns - INDENT });
}

/** Breaks words into lines below each other, past the columns of time and name. */
function flow(
  words: readonly { text: string; colour?: Colour | undefined }[],
  { paint, room }: { paint: Paint; room: number },
): string {
  let text = "";
  let used = 0;
  for (const word of words) {
    const isBreak = used > 0 && used + 1 + word.text.length > room;
    if (isBreak) text += `\n${" ".repeat(INDENT)}`;
    else if (used > 0) text += " ";
    used = isBreak ? word.text.length : used + (used > 0 ? 1 : 0) + word.text.length;
    text += word.colour === undefined ? word.text : paint(word.colour, word.text);
  }
  return text;
}

function formatValue(value: unknown, isVerbose: boolean): string {
  if (typeof value === "string") return /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
  if (!isVerbose && typeof value === "object" && value !== null && "message" in value) {
    return JSON.stringify(value.message);
  }
  return JSON.stringify(value);
}

function clock(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? "--:--:--" : date.toTimeString().slice(0, 8);
}
