import {
  type AskedType,
  type Content,
  type EventData,
  includesSchema,
  type PinnedAsset,
  type PreviewReply,
  type ReplyTo,
} from "@posthaste/contracts";
import type { Outgoing } from "@posthaste/messaging";
import {
  InvalidTemplateError,
  InvoiceError,
  openSandbox,
  pdfInvoice,
  type Sandbox,
  withDefaults,
} from "@posthaste/templating";
import type { DashboardDeps } from "./dashboard_deps.ts";

/** A bus with simulated stages: a real sandbox fills, and the printer answers by `printed`. */
export interface TestStages extends AsyncDisposable {
  bus: Pick<DashboardDeps["bus"], "ask" | "publish" | "objects">;
  /** The requests, in order. */
  asked: { type: AskedType; data: unknown }[];
  published: Outgoing[];
  /** The contents of the object stores, by store name and key. */
  stored: Map<string, Uint8Array>;
  /** Returns what the printer answers; undefined if it does not. */
  printed: (document: EventData<"print.requested">) => ReplyTo<"print.requested"> | undefined;
  /** Finds what the renderer finds under the name of a stored image. @default nothing */
  findAsset: (accountId: string, name: string) => Promise<PinnedAsset | null>;
  /** Awaited before each answer; if it returns `silent`, no answer comes. */
  before: (type: AskedType) => Promise<unknown>;
}

/** Opens the bus of a test. */
export function openTestStages(): TestStages {
  const sandbox = openSandbox({ workers: 1, timeLimitMs: 500 });
  const stored = new Map<string, Uint8Array>();
  const stages: TestStages = {
    asked: [],
    published: [],
    stored,
    printed: () => ({ ok: true, key: "a-pdf", size: 3, blocked: [] }),
    findAsset: () => Promise.resolve(null),
    before: () => Promise.resolve(),
    bus: {
      async ask<T extends AskedType>(type: T, data: EventData<T>) {
        stages.asked.push({ type, data });
        if (await stages.before(type) === "silent") return undefined;
        if (type === "print.requested") {
          stored.set("pdfs/a-pdf", Buffer.from("PDF"));
          return stages.printed(data as EventData<"print.requested">) as ReplyTo<T> | undefined;
        }
        return await preview(data as EventData<"preview.requested">, {
          sandbox,
          stored,
          findAsset: stages.findAsset,
        }) as ReplyTo<
          T
        >;
      },
      publish: (outgoing) => Promise.resolve(void stages.published.push(outgoing)),
      objects: (name) => ({
        sizeOf: (key) => Promise.resolve(stored.get(`${name}/${key}`)?.length),
        get: (key) => Promise.resolve(stored.get(`${name}/${key}`)),
        put: (key, bytes) => Promise.resolve(void stored.set(`${name}/${key}`, bytes)),
      }),
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
  return stages;
}

async function preview(
  {
    accountId,
    template,
    declarations,
    variables,
    locale,
    compiled,
    includes: packed,
    assets: kept,
  }: EventData<"preview.requested">,
  { sandbox, stored, findAsset }: Pick<TestStages, "stored" | "findAsset"> & { sandbox: Sandbox },
): Promise<PreviewReply> {
  const read = (content: Content) =>
    "inline" in content
      ? content.inline
      : Buffer.from(stored.get(`contents/${content.key}`) ?? "").toString();
  const html = read(template.html);
  const given = template.kind === "pdf" ? template : undefined;
  const xml = given?.invoice === undefined ? {} : { invoice: read(given.invoice) };
  const includes = packed && includesSchema.parse(JSON.parse(read(packed)));
  const instead: PinnedAsset[] = kept === undefined ? [] : JSON.parse(read(kept));
  try {
    const published = template.kind === "email"
      ? await sandbox.publishEmail({
        subject: template.subject,
        ...{ html, includes, locale },
        ...(template.text === undefined ? {} : { text: read(template.text) }),
      })
      : {
        ...await sandbox.publishPdf({ html, includes, locale, ...xml }),
        subject: (await sandbox.check({ subject: template.filename, includes })).parts.subject ??
          "",
        text: "",
      };
    const source = (text: string, escape: "html" | "xml" | "none") => ({
      ...{ key: `test/${text}/${escape}`, source: text, escape, locale },
    });
    const assets = await Promise.all(
      published.assets.map(async (use) => ({
        ...use,
        asset: instead.find(({ name }) => name === use.name) ??
          await findAsset(accountId, use.name),
      })),
    );
    const addresses = Object.fromEntries(
      assets.map(({ name, asset }) => [name, asset === null ? "" : `cid:${name}`]),
    );
    const [result] = await sandbox.fill({
      templates: {
        subject: source(published.subject, "none"),
        html: { ...source(published.html, "html"), assets: addresses },
        text: source(published.text, "none"),
        ...(xml.invoice === undefined ? {} : { invoice: source(xml.invoice, "xml") }),
      },
      fills: [{ data: withDefaults(declarations, variables) }],
    });
    const found = published.variables.map((one) => ({
      ...{ ...one, paths: [...one.paths], usedIn: [...one.usedIn], fields: [...one.fields ?? []] },
      always: published.reads.some(({ path, always }) => always && path === one.name),
    }));
    if (!result?.ok) {
      const { message = "", code } = result?.error ?? {};
      const timedOut = code === "timeout";
      return { ok: false, reason: message, errors: [], variables: found, timedOut };
    }
    const invoice = await pdfInvoice({ xml: result.parts["invoice"], page: given?.page });
    const parts = (texts: Readonly<Record<string, string>>) => ({
      subject: texts["subject"] ?? "",
      html: { inline: texts["html"] ?? "" },
      text: { inline: texts["text"] ?? "" },
    });
    return {
      ...{
        ok: true,
        parts: parts(result.parts),
        variables: found,
        missing: [],
        warnings: [],
        assets,
      },
      textGenerated: template.kind === "email" && template.text === undefined,
      partials: [...published.partials],
      ...(invoice ? { invoice: { ...invoice, xml: { inline: invoice.xml } } } : {}),
      ...(compiled
        ? {
          compiled: {
            ...parts({ ...published } as never),
            ...(xml.invoice === undefined ? {} : { invoice: { inline: xml.invoice } }),
          },
        }
        : {}),
    };
  } catch (error) {
    if (error instanceof InvoiceError) {
      const { message: reason } = error;
      const errors = [{ part: "invoice" as const, line: 1, column: 1, message: reason }];
      return { ok: false, reason, errors, variables: [], timedOut: false };
    }
    if (!(error instanceof InvalidTemplateError)) throw error;
    const reason = "The template has errors";
    return { ok: false, reason, errors: [...error.errors], variables: [], timedOut: false };
  }
}
