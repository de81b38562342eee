import { openStdout, type Stdout } from "./_stdout.ts";
import { redact } from "./redact.ts";
import { maskText } from "./mask_text.ts";
import { currentTrace } from "./trace_context.ts";

/** Levels of a log record, from the least to the most urgent. */
const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

/** Level of a log record. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Data of a record besides its sentence. Fields with secret or personal names are redacted. */
export type LogFields = Record<string, unknown>;

/** Writes log records as JSON lines, each with the ids of the current trace. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** Returns a logger that adds these fields to every record. */
  child(fields: LogFields): Logger;
  /** Waits at most a second until all records so far are written. */
  flush(): Promise<void>;
  /** Writes all records immediately and blocks until they are written, before a process ends. */
  flushSync(): void;
}

/** Options of {@linkcode openLogger}. */
export interface LoggerOptions {
  /** Name of the service, in every record. */
  service: string;
  /** The least urgent level to write. */
  level: LogLevel;
  /** Receives each line, including its newline, instead of the standard output. */
  write?: (line: string) => void;
}

/**
 * Opens a logger. Writing never waits for the reader of the standard output: records are buffered in memory
 * meanwhile, and dropped beyond 16 MB.
 */
export function openLogger(options: LoggerOptions): Logger {
  const { service, level, write } = options;
  const out: Stdout = write === undefined
    ? openStdout()
    : { write, flush: () => Promise.resolve(), flushSync: () => {} };
  return new JsonLogger({ service, least: LOG_LEVELS.indexOf(level), out, fields: {} });
}

interface Settings {
  service: string;
  least: number;
  out: Stdout;
  fields: LogFields;
}

class JsonLogger implements Logger {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log(0, message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log(1, message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log(2, message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log(3, message, fields);
  }

  child(fields: LogFields): Logger {
    const settings = this.#settings;
    return new JsonLogger({
      ...settings,
      fields: { ...settings.fields, ...(redact(fields) as LogFields) },
    });
  }

  flush(): Promise<void> {
    return this.#settings.out.flush();
  }

  flushSync(): void {
    this.#settings.out.flushSync();
  }

  #log(level: number, message: string, fields: LogFields | undefined): void {
    const { service, least, out, fields: own } = this.#settings;
    if (level < least) return;
    const span = currentTrace();
    // The standard fields come last, so that no other field can replace them.
    const record = {
      time: "",
      level: "",
      service: "",
      message: "",
      ...own,
      ...(fields === undefined ? {} : redact(fields) as LogFields),
      ...(span === undefined ? {} : { traceId: span.traceId, spanId: span.spanId }),
    };
    record.time = new Date().toISOString();
    record.level = LOG_LEVELS[level] ?? "error";
    record.service = service;
    record.message = maskText(message);
    out.write(`${JSON.stringify(record)}\n`);
  }
}
