import { hash } from "node:crypto";
import {
  BRAND,
  type Content,
  type DraftSource,
  EVENT_VERSION,
  type EventData,
  type Pinned,
  type PinnedAsset,
  type PreviewReply,
  sourceInLocale,
  type TemplateKind,
  type TemplateRead,
  type Variables,
} from "@posthaste/contracts";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { HttpError } from "../http_error.ts";
import { mapSome } from "../map_some.ts";
import { includesOf, reachedIncludes } from "./reached_includes.ts";

/** A source to compile and fill. */
export interface RenderWish {
  accountId: string;
  kind: TemplateKind;
  source: DraftSource;
  /** Replaces the source's sample. */
  variables?: Variables;
  /** Whether to return the compiled parts, too, and to compile and fill all language variants. */
  compiled?: boolean;
  /** For each body. */
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

/** The compiled parts of one body. */
export interface CompiledBody extends LoadedParts {
  /** Undefined if an older renderer answered. */
  reads?: TemplateRead[] | undefined;
  /** The XML of an invoice. */
  invoice?: string | undefined;
  /** The stored images that it shows. Undefined if an older renderer answered. */
  assets?: PinnedAsset[] | undefined;
}

/** The parts that publishing stores. */
export interface CompiledParts extends CompiledBody {
  /** Those of the language variants, by their tags. Then `assets` has the images of all bodies, each once. */
  variants?: Record<string, CompiledBody>;
  /** The names of the images in its own body, if it has variants. */
  shows?: string[];
  /** The partials and the brand in the parts. */
  includes: Pinned[];
}

type Filled = Omit<PreviewReply & { ok: true }, "parts" | "compiled"> & {
  parts: LoadedParts;
  /** The HTML in the form it came, which the printer accepts. */
  content: Content;
};

/** The result of rendering one body. */
type RenderedBody =
  | Filled & { compiled: CompiledBody | undefined }
  | (PreviewReply & { ok: false });

/** A body that was filled. */
export type FilledBody = RenderedBody & { ok: true };

/** The result of rendering a source. The first body that fails stands for the whole. */
export type Rendering =
  | Filled & {
    compiled: CompiledParts | undefined;
    /** Those of the language variants, by their tags, if they were wanted. */
    variants: Record<string, FilledBody>;
    /** The partials and the brand in all of its bodies. */
    includes: Pinned[];
  }
  | (PreviewReply & { ok: false }) & {
    /** The tag of the language variant that failed; null for the template's own body. */
    variant: string | null;
  };

/** Two texts of this size, samples and declarations fit into one event. */
const INLINE_CHARACTERS = 20_000;

/** How many bodies of one template are compiled at the same time. */
const CONCURRENCY = 4;

type Deps = Pick<DashboardDeps, "bus" | "store">;

/**
 * Asks a renderer to compile and fill a source.
 *
 * @throws {HttpError} `no_answer` if none answers in time, `unavailable` if none can be asked.
 */
export async function askRenderer(wish: RenderWish, deps: Deps): Promise<Rendering> {
  const { source, compiled = false, instead = [] } = wish;
  const reached = await reachedIncludes(wish.accountId, { source, instead }, deps.store);
  const render = (tag: string | null) =>
    renderBody({ ...wish, source: sourceInLocale(source, tag ?? undefined) }, reached, deps);
  const own = await render(null);
  if (!own.ok) return { ...own, variant: null };
  const tags = compiled ? Object.keys(source.variants ?? {}) : [];
  const variants: Record<string, FilledBody> = {};
  const failed = (await mapSome(CONCURRENCY, tags, async (tag) => {
    const body = await render(tag);
    if (!body.ok) return [{ ...body, variant: tag }];
    variants[tag] = body;
    return [];
  })).flat();
  if (failed[0] !== undefined) return failed[0];
  const partials = new Set(
    [own, ...Object.values(variants)].flatMap((body) => body.partials ?? []),
  );
  const includes = reached.filter(({ name }) => name === BRAND || partials.has(name));
  const compiledParts = compiledOf(own, { tags, variants, includes });
  return { ...own, compiled: compiledParts, variants, includes };
}

/** Returns what publishing stores of all bodies; `undefined` if it was not wanted. */
function compiledOf(
  own: FilledBody,
  { tags, variants, includes }: {
    tags: readonly string[];
    variants: Readonly<Record<string, FilledBody>>;
    includes: Pinned[];
  },
): CompiledParts | undefined {
  if (own.compiled === undefined || tags.length === 0) {
    return own.compiled && { ...own.compiled, includes };
  }
  const compiled: Record<string, CompiledBody> = {};
  for (const tag of tags) {
    const body = variants[tag]?.compiled;
    if (body === undefined) return undefined;
    compiled[tag] = body;
  }
  const assets = [own.compiled, ...Object.values(compiled)].flatMap((body) => body.assets ?? []);
  return {
    ...{ ...own.compiled, variants: compiled, includes, shows: namesOf(own.compiled.assets) },
    assets: [...new Map(assets.map((asset) => [asset.name, asset])).values()],
  };
}

/** Returns the names of stored images, each once. */
export function namesOf(assets: readonly PinnedAsset[] = []): string[] {
  return [...new Set(assets.map(({ name }) => name))];
}

async function renderBody(
  wish: RenderWish,
  reached: readonly Pinned[],
  { bus }: Deps,
): Promise<RenderedBody> {
  const { accountId, kind, source, timeoutMs, compiled = false } = wish;
  const { variables = source.sample, assets = [] } = wish;
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

/** Returns a text as an event carries it: a large one is stored. */
export async function packed(text: string, contents: Pick<Contents, "put">): Promise<Content> {
  if (text.length <= INLINE_CHARACTERS) return { inline: text };
  const key = hash("sha256", text, "hex");
  await contents.put(key, Buffer.from(text));
  return { key };
}
