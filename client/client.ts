import { type AnswerOf, type InputOf, openCall, type RequestOptions } from "./call.ts";
import { type Feed, followFeed } from "./feed.ts";
import { listOf, type Page } from "./pages.ts";
import type { ConnectionOptions } from "./request.ts";
import type {
  PdfTemplateName,
  PdfVariablesOf,
  SendBody,
  TemplateName,
  VariablesOf,
} from "./typed_send.ts";
import type {
  AddRecipientsBody,
  AddSuppressionsBody,
  CancelMessagesBody,
  CreateBatchBody,
  ListEventsItem,
  Operations,
  RetryMessageBody,
  RetryMessagesBody,
  SendTemplateBody,
  TryTemplateBody,
} from "./types.ts";

/** Which events are read. */
export interface EventsQuery {
  /** The `next` of an earlier page, or `latest`: from now on. From the oldest that is kept without it. */
  after?: string | undefined;
  /** Only these. @default {all} */
  types?: readonly EventType[] | undefined;
}

/** What `createClient()` returns. */
export type Client = ReturnType<typeof createClient>;

type Id = string | number;
/** Lists that end: a feed of events goes on for ever. */
type ListName = Exclude<
  {
    [Name in keyof Operations]: AnswerOf<Name> extends Page<unknown> ? Name : never;
  }[keyof Operations],
  "listEvents"
>;
/** Some name of {@linkcode ListEventsItem}'s types. */
type EventType = ListEventsItem["type"];
type QueryOf<Name extends ListName> = NonNullable<Operations[Name]["query"]>;
type ItemOf<Name extends ListName> = AnswerOf<Name>["data"][number];

/**
 * Makes a client of one Posthaste service. Requests are tried three times on 429, 503 and network
 * faults. Every method throws {@linkcode PosthasteError}.
 *
 * @throws {TypeError} The URL or the token cannot be used.
 */
export function createClient(options: ConnectionOptions) {
  const call = openCall(options);

  function list<Name extends ListName>(name: Name) {
    return (query: QueryOf<Name> | undefined = undefined, options?: RequestOptions) => {
      const from = query?.cursor;
      const readPage = async (cursor: string | undefined) => {
        const input = { query: { ...query, cursor } } as InputOf<Name>;
        return await call(name, input, options) as Page<ItemOf<Name>>;
      };
      return listOf(readPage, from);
    };
  }

  function readEvents(
    { types, ...query }: EventsQuery & { limit?: number; wait?: number } = {},
    options?: RequestOptions,
  ) {
    return call("listEvents", { query: { ...query, types: types?.join() } }, options);
  }

  /** A try must not be over before the wait is. */
  const wait = Math.min(MAX_WAIT_S, (options.timeoutMs ?? 30_000) / 2000);

  return {
    /** Performs any operation of the OpenAPI document by its name. */
    call,
    /** Returns what the service is, and what the token may do. */
    service: (options?: RequestOptions) => call("getService", {}, options),
    /** Returns the OpenAPI document of the service. */
    openApi: (options?: RequestOptions) => call("getOpenApi", {}, options),
    /** Fills an email template with variables. */
    render: <Name extends TemplateName>(
      templateId: Name,
      variables: VariablesOf<Name>,
      options?: RequestOptions,
    ) => call("renderTemplate", { path: { templateId: id(templateId) }, body: variables }, options),
    /** Sends one mail per recipient: all or none are accepted, and never twice. */
    send: <Name extends TemplateName>(
      templateId: Name,
      integrationId: number,
      body: SendBody<Name>,
      options?: RequestOptions,
    ) =>
      call("sendTemplate", {
        path: { templateId: id(templateId), integrationId },
        body: body as SendTemplateBody,
      }, options),
    /** Checks a send and fills the mails of some recipients, the first by default; sends nothing. */
    dryRun: <Name extends TemplateName>(
      templateId: Name,
      integrationId: number,
      body: SendBody<Name>,
      { recipients, ...options }: RequestOptions & { recipients?: readonly number[] } = {},
    ) =>
      call("tryTemplate", {
        path: { templateId: id(templateId), integrationId },
        query: { recipients: recipients?.join() },
        body: body as TryTemplateBody,
      }, options),
    batches: {
      /** Opens a batch: many sends under one id. */
      create: (body: CreateBatchBody, options?: RequestOptions) =>
        call("createBatch", { body }, options),
      /** Adds up to 1,000 recipients, all or none, and never twice. */
      add: (id: string, to: AddRecipientsBody["to"], options?: RequestOptions) =>
        call("addRecipients", { path: { id }, body: { to } }, options),
      /** Closes a batch: its mail leaves. */
      close: (id: string, options?: RequestOptions) =>
        call("closeBatch", { path: { id } }, options),
      /** Cancels the messages of a batch that are not sent yet. */
      cancel: (id: string, options?: RequestOptions) =>
        call("cancelBatch", { path: { id } }, options),
      /** Returns a batch, and counts its messages by state. */
      get: (id: string, options?: RequestOptions) => call("getBatch", { path: { id } }, options),
      /** Lists batches, the newest first. */
      list: list("listBatches"),
    },
    sends: {
      /** Returns a send with the state of each message. */
      get: (id: string, options?: RequestOptions) => call("getSend", { path: { id } }, options),
      /** Finds sends, the newest first. */
      list: list("listSends"),
      /** Cancels the messages of a send that are not sent yet. */
      cancel: (id: string, options?: RequestOptions) =>
        call("cancelSend", { path: { id } }, options),
      /** Changes when a scheduled send starts; `null`: now. */
      reschedule: (id: string, sendAt: Date | string | null, options?: RequestOptions) => {
        const at = sendAt instanceof Date ? sendAt.toISOString() : sendAt;
        return call("scheduleSend", { path: { id }, body: { sendAt: at } }, options);
      },
    },
    messages: {
      /** Returns the state and history of one recipient's mail. */
      get: (id: string, options?: RequestOptions) => call("getMessage", { path: { id } }, options),
      /** Finds messages, the newest first. */
      list: list("listMessages"),
      /** Returns a mail as it was sent. */
      content: (id: string, options?: RequestOptions) =>
        call("getMessageContent", { path: { id } }, options),
      /** Returns the bytes of a mail's attachment; `n` is its `index` in the content. */
      attachment: (id: string, n: number, options?: RequestOptions) =>
        call("getMessageAttachment", { path: { id, n } }, options),
      /** Returns where each variable of a mail came from. */
      explain: (id: string, query: { values?: boolean } = {}, options?: RequestOptions) =>
        call("explainMessage", { path: { id }, query }, options),
      /** Cancels a message that is not sent yet. */
      cancel: (id: string, options?: RequestOptions) =>
        call("cancelMessage", { path: { id } }, options),
      /** Cancels up to 1,000 messages that a filter finds; repeat until `remaining` is 0. */
      cancelAll: (filter: CancelMessagesBody["filter"], options?: RequestOptions) =>
        call("cancelMessages", { body: { filter } }, options),
      /** Sends a message again. */
      retry: (id: string, body: RetryMessageBody = {}, options?: RequestOptions) =>
        call("retryMessage", { path: { id }, body }, options),
      /** Sends up to 1,000 messages of one cause again; repeat until `remaining` is 0. */
      retryAll: (cause: RetryMessagesBody, options?: RequestOptions) =>
        call("retryMessages", { body: cause }, options),
    },
    templates: {
      /** Returns a published email template, by id or alias. */
      get: (id: Id, options?: RequestOptions) => call("getTemplate", { path: { id } }, options),
      /** Lists the published email templates. */
      list: list("listTemplates"),
      /** Returns the JSON Schema of the variables of an email template. */
      schema: (id: Id, options?: RequestOptions) =>
        call("getTemplateSchema", { path: { id } }, options),
    },
    pdfTemplates: {
      /** Returns a published PDF template, by id or alias. */
      get: (id: Id, options?: RequestOptions) => call("getPdfTemplate", { path: { id } }, options),
      /** Lists the published PDF templates. */
      list: list("listPdfTemplates"),
      /** Returns the JSON Schema of the variables of a PDF template. */
      schema: (id: Id, options?: RequestOptions) =>
        call("getPdfTemplateSchema", { path: { id } }, options),
      /** Fills a PDF template with variables and returns the PDF. */
      render: <Name extends PdfTemplateName>(
        templateId: Name,
        variables: PdfVariablesOf<Name>,
        options?: RequestOptions,
      ) => call("renderPdfTemplate", { path: { id: id(templateId) }, body: variables }, options),
    },
    events: {
      /** Returns one page of what happened, the oldest first; waits up to `wait` seconds for one. */
      read: readEvents,
      /** Reads what happened and waits for more. It ends by its signal alone, or by `break`. */
      follow: (
        { signal, ...query }: EventsQuery & { signal?: AbortSignal | undefined } = {},
      ): Feed<ListEventsItem> =>
        followFeed({
          ...{ after: query.after, signal },
          readPage: (after) => readEvents({ ...query, after, wait }, { signal }),
        }),
    },
    suppressions: {
      /** Lists addresses that get no mail, by address. */
      list: list("listSuppressions"),
      /** Adds addresses, or replaces their entries. */
      add: (suppressions: AddSuppressionsBody["suppressions"], options?: RequestOptions) =>
        call("addSuppressions", { body: { suppressions } }, options),
      /** Removes addresses: they get mail again. */
      remove: (emails: string[], options?: RequestOptions) =>
        call("removeSuppressions", { body: { emails } }, options),
    },
    integrations: {
      /** Returns an integration and how it is. */
      get: (id: number, options?: RequestOptions) =>
        call("getIntegration", { path: { id } }, options),
      /** Lists the integrations that mail can be sent through. */
      list: list("listIntegrations"),
    },
  };
}

/** The longest that the service holds a request for events, in seconds. */
const MAX_WAIT_S = 20;

/** A name of `Templates` may be anything in its type, but it is a text or a number. */
function id(name: TemplateName | PdfTemplateName): Id {
  return name as Id;
}
