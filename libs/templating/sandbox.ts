import { availableParallelism } from "node:os";
import { closedError } from "./_sandbox_errors.ts";
import type { Call } from "./_sandbox_protocol.ts";
import { openScheduler } from "./_sandbox_scheduler.ts";
import type { FillTask, Request } from "./_sandbox_task.ts";
import type { CallOptions, SandboxOptions, SandboxStats } from "./sandbox_options.ts";
import type { TemplateParts } from "./check_template.ts";
import type { Fill, FillRequest, FillResult, TemplateSource } from "./fill.ts";
import type { WholeTemplate } from "./include_parts.ts";
import type { Includes } from "./includes.ts";
import type { EmailSource, PdfSource, PublishedEmail, PublishedPdf } from "./publish.ts";
import { RenderError } from "./render_error.ts";
import type { TemplateError } from "./template_error.ts";
import type { TemplateRead } from "@posthaste/contracts";
import type { TemplateVariable } from "./template_variables.ts";

/** Processes that compile and fill templates, isolated from the services. */
export interface Sandbox extends AsyncDisposable {
  /** Fills in the given order. A failed fill does not affect the others. Never rejects. */
  readonly fill: (request: FillRequest) => Promise<FillResult[]>;
  /** Fills all the templates once. @throws {RenderError} */
  readonly render: (
    templates: FillRequest["templates"],
    data: Fill["data"],
  ) => Promise<Readonly<Record<string, string>>>;
  /** Runs `includeParts()` and `templateReads()` on an unchecked source. */
  readonly check: (
    parts: TemplateParts & { readonly includes?: Includes | undefined },
    options?: CallOptions,
  ) => Promise<
    & { errors: TemplateError[]; variables: TemplateVariable[]; reads: TemplateRead[] }
    & Pick<WholeTemplate, "parts" | "partials">
  >;
  /**
   * Runs `publishEmail()`. @throws {InvalidTemplateError
   * RenderError}
   */
  readonly publishEmail: (
    source: EmailSource,
    options?: CallOptions,
  ) => Promise<PublishedEmail>;
  /**
   * Runs `publishPdf()`. @throws {InvalidTemplateError
   * RenderError}
   */
  readonly publishPdf: (source: PdfSource, options?: CallOptions) => Promise<PublishedPdf>;
  /** Returns whether a fill of this owner was slow in the last minute: half a second, or killed. */
  readonly isSlow: (owner: string) => boolean;
  readonly stats: () => SandboxStats;
}

/**
 * Opens a sandbox: child processes with an empty environment, a small heap and a time limit, which are killed
 * and restarted when a template exceeds it. Compiling also happens inside. Each worker keeps its compiled
 * templates, receives a source once, and gets many fills in one message.
 *
 * Owners share workers fairly: the owner that used them least lately comes first, a batch ends after a tenth
 * of a second, and known slow work leaves a worker free. A fill thus waits for at most one slow fill of
 * others, which is killed at the time limit.
 *
 * ```ts
 * await using sandbox = openSandbox({ workers: 2 });
 * const html = { key: "7/email/1/3/html", source: "<p>Hello {{name}}</p>", escape: "html" } as const;
 * const [first] = await sandbox.fill({ templates: { html }, fills: [{ data: { name: "Ada" } }] });
 * ```
 */
export function openSandbox(options: SandboxOptions = {}): Sandbox {
  const { workers = Math.min(4, availableParallelism()) } = options;
  const scheduler = openScheduler({
    workers,
    timeLimitMs: 2_000,
    publishTimeLimitMs: 15_000,
    memoryMb: 256,
    outputLimit: 5_000_000,
    batchSize: 50,
    keptTemplates: 500,
    keptWeight: 50_000_000,
    reserved: workers > 1 ? 1 : 0,
    ...options,
  });

  function fill(wanted: FillRequest): Promise<FillResult[]> {
    const { templates, fills, owner = "", textBudget = Number.POSITIVE_INFINITY } = wanted;
    const { urgent = false } = wanted;
    const request: Request = { owner, textBudget, urgent, killed: 0, made: 0 };
    const tasks: FillTask[] = [];
    const results = fills.map(({ use = Object.keys(templates), data }) =>
      new Promise<FillResult>((done) => {
        if (scheduler.isClosed()) return done({ ok: false, error: closedError() });
        const named: (readonly [string, TemplateSource])[] = [];
        for (const name of use) {
          const template = templates[name];
          if (!template) {
            const message = `Cannot fill "${name}": there is no template with that name`;
            return done({ ok: false, error: new RenderError("error", message, { part: name }) });
          }
          named.push([name, template]);
        }
        tasks.push({ templates: named, data, request, done });
      })
    );
    scheduler.add(owner, tasks);
    return Promise.all(results);
  }

  function call<T>(wanted: Call, { owner = "" }: CallOptions = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      if (scheduler.isClosed()) return reject(closedError());
      const settled = resolve as (value: unknown) => void;
      scheduler.add(owner, [{ call: wanted, resolve: settled, reject }]);
    });
  }

  return {
    fill,
    render: async (templates, data) => {
      const [result] = await fill({ templates, fills: [{ data }] });
      if (!result?.ok) throw result?.error ?? closedError();
      return result.parts;
    },
    check: (input, options) => call({ op: "check", input }, options),
    publishEmail: (input, options) => call({ op: "publishEmail", input }, options),
    publishPdf: (input, options) => call({ op: "publishPdf", input }, options),
    isSlow: scheduler.isSlow,
    stats: scheduler.stats,
    [Symbol.asyncDispose]: () => scheduler[Symbol.asyncDispose](),
  };
}
