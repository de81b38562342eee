// The inside of the sandbox: a child process that contains only compiled templates. It has no environment and
// no access to files, and is killed from outside when it takes too long.
import process from "node:process";
import { Worker } from "node:worker_threads";
import type { Call, Filled, FillOrder, Load, Order, Report } from "./_sandbox_protocol.ts";
import { type CompiledTemplate, compileTemplate } from "./_compile_template.ts";
import { plainData } from "./_plain_data.ts";
import { RenderError } from "./render_error.ts";
import { includeParts } from "./include_parts.ts";
import { lockDown } from "./_lock_down.ts";
import { InvalidTemplateError } from "./template_error.ts";
import { templateReads } from "./template_reads.ts";

/** A slow fill is reported before the next begins, so that the host can identify one that hangs. */
const REPORT_EVERY_MS = 50;
const REPORT_EVERY_CHARACTERS = 2_000_000;
/** After this time a batch ends, so that another owner gets its turn. The host sends the rest again. */
const BATCH_MS = 100;
const BATCH_CHARACTERS = 8_000_000;

const loaded = new Map<number, Load>();
const compiled = new Map<number, CompiledTemplate | RenderError>();

// A worker in a long loop cannot notice that its host was killed: this thread notices, and ends it.
const watch = new Worker(new URL("./_parent_watch.ts", import.meta.url), {
  workerData: Number(process.argv[2]),
  resourceLimits: { maxOldGenerationSizeMb: 16 },
});
watch.unref();
lockDown();

process.on("message", (order: Order) => {
  if ("call" in order) void answer(order.call);
  else fillAll(order);
});
process.on("disconnect", () => process.exit(0));
send({ ready: true });

function fillAll({ load, forget, fills, outputLimit }: Exclude<Order, { call: Call }>): void {
  for (const id of forget) {
    loaded.delete(id);
    compiled.delete(id);
  }
  for (const each of load) loaded.set(each.id, each);
  let filled: Filled[] = [];
  let characters = 0;
  let total = 0;
  const started = performance.now();
  const { user, system } = process.threadCpuUsage();
  let reported = started;
  for (const order of fills) {
    const isLong = performance.now() - started > BATCH_MS || total > BATCH_CHARACTERS;
    if (isLong && order !== fills[0]) break;
    const isDue = performance.now() - reported > REPORT_EVERY_MS ||
      characters > REPORT_EVERY_CHARACTERS;
    if (isDue && filled.length > 0) {
      send({ filled, done: false });
      [filled, characters, reported] = [[], 0, performance.now()];
    }
    const result = fill(order, outputLimit);
    filled.push(result);
    if (!Array.isArray(result)) continue;
    for (const text of result) characters += text.length;
    for (const text of result) total += text.length;
  }
  const used = process.threadCpuUsage();
  const cpuMs = (used.user + used.system - user - system) / 1_000;
  send({ filled, done: true, cpuMs });
}

function fill({ parts, data }: FillOrder, outputLimit: number): Filled {
  let part: string | undefined;
  try {
    const plain = plainData(data);
    const texts: string[] = [];
    let characters = 0;
    for (const [name, id] of parts) {
      part = name;
      const text = templateOf(id)(plain);
      characters += text.length;
      if (characters > outputLimit) {
        const message = `Cannot fill the template: its output exceeds ${outputLimit} characters`;
        throw new RenderError("output", message);
      }
      texts.push(text);
    }
    return texts;
  } catch (error) {
    const { code, message, line, column } = error instanceof RenderError
      ? error
      : new RenderError("error", `Cannot fill the template: ${String(error)}`);
    const place = {
      ...part === undefined ? {} : { part },
      ...line === undefined ? {} : { line },
      ...column === undefined ? {} : { column },
    };
    return { code, message, place };
  }
}

function templateOf(id: number): CompiledTemplate {
  const known = compiled.get(id) ?? compile(id);
  compiled.set(id, known);
  if (known instanceof RenderError) throw known;
  return known;
}

function compile(id: number): CompiledTemplate | RenderError {
  const load = loaded.get(id);
  if (!load) {
    return new RenderError("sandbox", "Cannot fill the template: it did not reach the worker");
  }
  loaded.delete(id);
  try {
    return compileTemplate(load.source, load);
  } catch (error) {
    return error instanceof RenderError ? error : new RenderError("error", String(error));
  }
}

async function answer(call: Call): Promise<void> {
  try {
    send({ value: await valueOf(call) });
  } catch (error) {
    send({ failed: failureOf(error) });
  }
}

function failureOf(error: unknown): { name: string; message: string; errors?: unknown } {
  if (error instanceof InvalidTemplateError) {
    return { name: error.name, message: error.message, errors: error.errors };
  }
  const message = error instanceof RangeError && /call stack/.test(error.message)
    ? "its elements are nested too deep"
    : error instanceof Error
    ? error.message
    : String(error);
  return { name: "RenderError", message: `Cannot process the template: ${message}` };
}

async function valueOf({ op, input }: Call): Promise<unknown> {
  if (op === "check") {
    const { includes, ...sources } = input;
    const { errors, variables, parts, partials } = includeParts(sources, includes);
    return { errors, variables, parts, partials, reads: templateReads(parts) };
  }
  const { publishEmail, publishPdf } = await import("./publish.ts");
  return op === "publishEmail"
    ? await publishEmail(input as Parameters<typeof publishEmail>[0])
    : publishPdf(input as Parameters<typeof publishPdf>[0]);
}

function send(report: Report): void {
  process.send?.(report);
}
