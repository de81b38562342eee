import { createHash } from "node:crypto";
import {
  BRAND,
  type Content,
  type DraftSource,
  EVENT_VERSION,
  type EventData,
  type Pinned,
  type PinnedAsset,
  type PreviewReply,
  type TemplateKind,
  type TemplateRead,
  type Variables,
} from "@posthaste/contracts";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { HttpError } from "../http_error.ts";
import { includesOf, reachedIncludes } from "./reached_includes.ts";

/** A source to compile and fill. */
export interface RenderWish {
  accountId: string;
  kind: TemplateKind;
  source: DraftSource;
  /** Replaces the source's sample. */
  variables?: Variables;
  /** Whether to return the compiled parts, too. */
  compiled?: boolean;
  timeoutMs: number;
  /** Partials to use instead of the published ones of the same name. */
  instead?: readonly Pinned[];
  /** Files to use instead of those that the account keeps under the same name. */
  assets?: readonly PinnedAsset[];
}

/** Texts, loaded from wherever they were stored. */
export interface LoadedParts {
  subject: string;
  html: string;
  text: string;
}

/** The parts that publishing stores. */
export interface CompiledParts extends LoadedParts {
  /** Undefined if an older renderer answered. */
  reads?: TemplateRead[] | undefined;
  /** The XML of an invoice. */
  invoice?: string | undefined;
  /** The stored images that it shows. Undefined if an older renderer answered. */
  assets?: PinnedAsset[] | undefined;
  /** The partials and the brand in the parts. */
  includes: Pinned[];
}

/** The result of rendering a source. */
export type Rendering =
  | (Omit<PreviewReply & { ok: true }, "parts" | "compiled"> & {
    parts: LoadedParts;
    compiled: CompiledParts | undefined;
    /** The HTML in the form it came, which the printer accepts. */
    content: Content;
  })
  | (PreviewReply & { ok: false });

/** Two texts of this size, samples and declarations fit into one event. */
const INLINE_CHARACTERS = 20_000;

/**
 * Asks a renderer to compile and fill a source.
 *
 * @throws {HttpError} `no_answer` if none answers in time, `unavailable` if none can be asked.
 */
export async function askRenderer(
  wish: RenderWish,
  { bus, store }: Pick<DashboardDeps, "bus" | "store">,
): Promise<Rendering> {
  const { accountId, kind, source, timeoutMs } = wish;
  const { variables = source.sample, compiled = false, instead = [], assets = [] } = wish;
  const reached = await reachedIncludes(accountId, { source, instead }, store);
  try {
    const contents = bus.objects("contents");
    const load = async (content: Content) => {
      if ("inline" in content) return content.inline;
      const bytes = await contents.get(content.key);
      if (bytes === undefined) throw new HttpError("no_answer", "The response was lost. Try again");
      return Buffer.from(bytes).toString();
    };
    const loadParts = async (
      { subject, html, text }: { [K in keyof LoadedParts]: Content | string },
    ) => ({
      subject: subject as string,
      html: await load(html as Content),
      text: await load(text as Content),
    });
    const data: EventData<"preview.requested"> = {
      ...{ v: EVENT_VERSION, accountId, variables, compiled, locale: source.locale },
      template: await templateOf(kind, source, contents),
      declarations: source.variables,
      ...(reached.length === 0
        ? {}
        : { includes: await packed(JSON.stringify(includesOf(reached)), contents) }),
      ...(assets.length === 0 ? {} : { assets: await packed(JSON.stringify(assets), contents) }),
    };
    const reply = await bus.ask("preview.requested", data, { timeoutMs });
    if (reply === undefined) {
      const seconds = Math.round(timeoutMs / 1000);
      throw new HttpError("no_answer", `No response within ${seconds} s. Try again`);
    }
    if (!reply.ok) return reply;
    return {
      ...reply,
      parts: await loadParts(reply.parts),
      compiled: reply.compiled && {
        ...await loadParts(reply.compiled),
        ...(reply.compiled.invoice && { invoice: await load(reply.compiled.invoice) }),
        reads: reply.compiled.reads,
        assets: reply.assets?.flatMap(({ asset }) => asset ?? []),
        includes: reached.filter(({ name }) => name === BRAND || reply.partials?.includes(name)),
      },
      content: reply.parts.html,
    };
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError("unavailable", "The preview is not available. Try again soon", {
      cause: error,
    });
  }
}

type Contents = ReturnType<DashboardDeps["bus"]["objects"]>;

async function templateOf(
  kind: TemplateKind,
  { subject, html, text, filename, invoice, page }: DraftSource,
  contents: Contents,
): Promise<EventData<"preview.requested">["template"]> {
  const body = await packed(html, contents);
  if (kind === "pdf") {
    const xml = invoice === undefined ? {} : { invoice: await packed(invoice, contents) };
    return { kind, filename, html: body, ...(page === null ? {} : { page }), ...xml };
  }
  const isGiven = text.trim() !== "";
  return { kind, subject, html: body, ...(isGiven ? { text: await packed(text, contents) } : {}) };
}

async function packed(text: string, contents: Contents): Promise<Content> {
  if (text.length <= INLINE_CHARACTERS) return { inline: text };
  const key = createHash("sha256").update(text).digest("hex");
  await contents.put(key, Buffer.from(text));
  return { key };
}
