// Written by tools/client_types.ts out of docs/openapi.json.
// deno-fmt-ignore-file

/** Returns what the service is, and what the token may do */
export type GetServiceAnswer = {
  service: "posthaste";
  version: string;
  account: {
    id: string;
    name: string;
  };
  token: {
    name: string;
    scopes: Array<"render" | "send" | "send:suppressed" | "read" | "list" | "read:content" | "manage:messages" | "manage:suppressions" | "manage:templates" | "manage:integrations" | "manage:webhooks" | "manage:tokens" | "manage:account" | (string & Record<never, never>)>;
    expiresAt: string | null;
  };
  limits: {
    recipients: number;
    attachments: number;
    bodyBytes: number;
  };
  links: {
    openapi: string;
    manage?: string;
  };
};

/** Returns the OpenAPI document of this interface */
export type GetOpenApiAnswer = {
  openapi: string;
};

/** Parameters of `listTemplates` */
export type ListTemplatesQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

/** One of `listTemplates` */
export type ListTemplatesItem = {
  id: number;
  alias: string | null;
  name: string;
  version: number;
  publishedAt: string;
  locale: string;
  variants: string[];
  variables: Array<{
    name: string;
    required: boolean;
    default: unknown;
    description: string | null;
  }>;
};

/** Lists the published email templates */
export type ListTemplatesAnswer = {
  data: ListTemplatesItem[];
  next: string | null;
  incomplete?: true;
};

/** Returns a published email template, by id or alias */
export type GetTemplateAnswer = {
  id: number;
  alias: string | null;
  name: string;
  version: number;
  publishedAt: string;
  locale: string;
  variants: string[];
  variables: Array<{
    name: string;
    required: boolean;
    default: unknown;
    description: string | null;
  }>;
};

/** Parameters of `listPdfTemplates` */
export type ListPdfTemplatesQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

/** One of `listPdfTemplates` */
export type ListPdfTemplatesItem = {
  id: number;
  alias: string | null;
  name: string;
  version: number;
  publishedAt: string;
  locale: string;
  variants: string[];
  variables: Array<{
    name: string;
    required: boolean;
    default: unknown;
    description: string | null;
  }>;
};

/** Lists the published PDF templates */
export type ListPdfTemplatesAnswer = {
  data: ListPdfTemplatesItem[];
  next: string | null;
  incomplete?: true;
};

/** Returns a published PDF template, by id or alias */
export type GetPdfTemplateAnswer = {
  id: number;
  alias: string | null;
  name: string;
  version: number;
  publishedAt: string;
  locale: string;
  variants: string[];
  variables: Array<{
    name: string;
    required: boolean;
    default: unknown;
    description: string | null;
  }>;
};

/** Returns the JSON Schema of the variables of an email template */
export type GetTemplateSchemaAnswer = {
  $schema: string;
  type: "object";
};

/** Returns the JSON Schema of the variables of a PDF template */
export type GetPdfTemplateSchemaAnswer = {
  $schema: string;
  type: "object";
};

/** Parameters of `listIntegrations` */
export type ListIntegrationsQuery = {
  limit?: number | undefined;
  cursor?: string | undefined;
};

/** One of `listIntegrations` */
export type ListIntegrationsItem = {
  id: number;
  name: string;
  senders: string[];
  state: "paused" | "suspended" | "unreachable" | "failing" | "slow" | "ready" | (string & Record<never, never>);
  reason: string | null;
  since: string | null;
  openUntil: string | null;
  waiting: number;
  signsFor: string | null;
};

/** Lists the integrations that mail can be sent through */
export type ListIntegrationsAnswer = {
  data: ListIntegrationsItem[];
  next: string | null;
  incomplete?: true;
};

/** Returns an integration and its state */
export type GetIntegrationAnswer = {
  id: number;
  name: string;
  senders: string[];
  state: "paused" | "suspended" | "unreachable" | "failing" | "slow" | "ready" | (string & Record<never, never>);
  reason: string | null;
  since: string | null;
  openUntil: string | null;
  waiting: number;
  signsFor: string | null;
};

/** Parameters of `renderTemplate` */
export type RenderTemplateQuery = {
  locale?: string | undefined;
};

/** Body of `renderTemplate` */
export type RenderTemplateBody = Record<string, unknown>;

/** Fills an email template with variables */
export type RenderTemplateAnswer = {
  subject: string;
  html: string;
  text: string;
};

/** Parameters of `renderPdfTemplate` */
export type RenderPdfTemplateQuery = {
  locale?: string | undefined;
};

/** Body of `renderPdfTemplate` */
export type RenderPdfTemplateBody = Record<string, unknown>;

/** Fills a PDF template with variables and prints it */
export type RenderPdfTemplateAnswer = Uint8Array<ArrayBuffer>;

/** Body of `sendTemplate` */
export type SendTemplateBody = {
  from: {
    email: string;
    name?: string | undefined;
  };
  to: Array<{
    email: string;
    name?: string | undefined;
    reference?: string | undefined;
    tags?: string[] | undefined;
    metadata?: unknown | undefined;
    replyTo?: Array<{
      email: string;
      name?: string | undefined;
    }> | undefined;
    cc?: Array<{
      email: string;
      name?: string | undefined;
    }> | undefined;
    bcc?: Array<{
      email: string;
      name?: string | undefined;
    }> | undefined;
    headers?: Record<string, string> | undefined;
    listUnsubscribe?: {
      url?: string | undefined;
      mailto?: string | undefined;
      oneClick?: boolean | undefined;
    } | "" | undefined;
    toSuppressed?: boolean | undefined;
    locale?: string | undefined;
    variables?: Record<string, unknown> | undefined;
    attachments?: Array<{
      id?: number | string | undefined;
      filename?: string | undefined;
      variables?: Record<string, unknown> | undefined;
      content?: string | undefined;
      contentType?: string | undefined;
      asset?: string | undefined;
      contentId?: string | undefined;
    }> | undefined;
  }>;
  reference?: string | undefined;
  tags?: string[] | undefined;
  metadata?: unknown | undefined;
  replyTo?: Array<{
    email: string;
    name?: string | undefined;
  }> | undefined;
  cc?: Array<{
    email: string;
    name?: string | undefined;
  }> | undefined;
  bcc?: Array<{
    email: string;
    name?: string | undefined;
  }> | undefined;
  headers?: Record<string, string> | undefined;
  listUnsubscribe?: {
    url?: string | undefined;
    mailto?: string | undefined;
    oneClick?: boolean | undefined;
  } | "" | undefined;
  toSuppressed?: boolean | undefined;
  locale?: string | undefined;
  variables?: Record<string, unknown> | undefined;
  attachments?: Array<{
    filename?: string | undefined;
    content?: string | undefined;
    contentType?: string | undefined;
    asset?: string | undefined;
    contentId?: string | undefined;
  }> | undefined;
  sendAt?: string | undefined;
};

/** Accepts one mail per recipient, all or none */
export type SendTemplateAnswer = {
  status: "success";
  message: string;
  id: string;
  messages: {
    id: string;
    email: string;
  }[];
  warnings?: Array<{
    code: "unsigned_unsubscribe" | "suppressed_recipients" | (string & Record<never, never>);
    message: string;
    recipients?: number[];
  }>;
};

/** Parameters of `tryTemplate` */
export type TryTemplateQuery = {
  recipients?: string | undefined;
};

/** Body of `tryTemplate` */
export type TryTemplateBody = {
  from: {
    email: string;
    name?: string | undefined;
  };
  to: Array<{
    email: string;
    name?: string | undefined;
    reference?: string | undefined;
    tags?: string[] | undefined;
    metadata?: unknown | undefined;
    replyTo?: Array<{
      email: string;
      name?: string | undefined;
    }> | undefined;
    cc?: Array<{
      email: string;
      name?: string | undefined;
    }> | undefined;
    bcc?: Array<{
      email: string;
      name?: string | undefined;
    }> | undefined;
    headers?: Record<string, string> | undefined;
    listUnsubscribe?: {
      url?: string | undefined;
      mailto?: string | undefined;
      oneClick?: boolean | undefined;
    } | "" | undefined;
    toSuppressed?: boolean | undefined;
    locale?: string | undefined;
    variables?: Record<string, unknown> | undefined;
    attachments?: Array<{
      id?: number | string | undefined;
      filename?: string | undefined;
      variables?: Record<string, unknown> | undefined;
      content?: string | undefined;
      contentType?: string | undefined;
      asset?: string | undefined;
      contentId?: string | undefined;
    }> | undefined;
  }>;
  reference?: string | undefined;
  tags?: string[] | undefined;
  metadata?: unknown | undefined;
  replyTo?: Array<{
    email: string;
    name?: string | undefined;
  }> | undefined;
  cc?: Array<{
    email: string;
    name?: string | undefined;
  }> | undefined;
  bcc?: Array<{
    email: string;
    name?: string | undefined;
  }> | undefined;
  headers?: Record<string, string> | undefined;
  listUnsubscribe?: {
    url?: string | undefined;
    mailto?: string | undefined;
    oneClick?: boolean | undefined;
  } | "" | undefined;
  toSuppressed?: boolean | undefined;
  locale?: string | undefined;
  variables?: Record<string, unknown> | undefined;
  attachments?: Array<{
    filename?: string | undefined;
    content?: string | undefined;
    contentType?: string | undefined;
    asset?: string | undefined;
    contentId?: string | undefined;
  }> | undefined;
  sendAt?: string | undefined;
};

/** Checks a send and fills some of its mails, without accepting it */
export type TryTemplateAnswer = {
  status: "dry_run";
  message: string;
  template: {
    id: number;
    version: number;
  };
  warnings?: Array<{
    code: "unsigned_unsubscribe" | "suppressed_recipients" | (string & Record<never, never>);
    message: string;
    recipients?: number[];
  }>;
  messages: Array<{
    index: number;
    email: string;
    subject: string;
    html: string;
    text: string;
    bytes: number;
    variant: string | null;
    variables: Record<string, unknown>;
    attachments: Array<{
      index: number;
      id: number;
      filename: string;
      variant: string | null;
      variables: Record<string, unknown>;
    }>;
  }>;
};

/** Returns an accepted send with the state of each message */
export type GetSendAnswer = {
  id: string;
  acceptedAt: string;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  messageCount: number;
  batchId: string | null;
  reference: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
  settled: boolean;
  settledAt: string | null;
  sendAt: string | null;
  causes: Array<{
    state: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
    reason: string | null;
    code: number | null;
    enhanced: string | null;
    response: string | null;
    count: number;
    messageId: string;
  }>;
  states: Record<string, unknown>;
  messages: Array<{
    id: string;
    email: string;
    state: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
  }>;
};

/** Body of `scheduleSend` */
export type ScheduleSendBody = {
  sendAt: string | null;
};

/** Changes when a scheduled send starts */
export type ScheduleSendAnswer = {
  id: string;
  acceptedAt: string;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  messageCount: number;
  batchId: string | null;
  reference: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
  settled: boolean;
  settledAt: string | null;
  sendAt: string | null;
  causes: Array<{
    state: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
    reason: string | null;
    code: number | null;
    enhanced: string | null;
    response: string | null;
    count: number;
    messageId: string;
  }>;
  states: Record<string, unknown>;
  messages: Array<{
    id: string;
    email: string;
    state: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
  }>;
};

/** Returns the state and history of one recipient's mail */
export type GetMessageAnswer = {
  id: string;
  sendId: string;
  email: string;
  state: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
  attempt: number;
  acceptedAt: string;
  finishedAt: string | null;
  nextAt: string | null;
  reason: string | null;
  reply: {
    code?: number;
    enhanced?: string;
    response?: string;
  } | null;
  copiesRefused?: {
    email: string;
    reply: {
      code?: number;
      enhanced?: string;
      response?: string;
    };
    suppressed?: true;
  }[];
  waiting: {
    reason: string;
    ahead: number;
  } | null;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  hasPdfs: boolean;
  reference: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
  variant: string | null;
  timeline: Array<{
    at: string;
    type: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
    attempt: number;
    durationMs?: number;
    detail?: string;
    warning?: "missing_glyphs" | (string & Record<never, never>);
    ambiguous?: boolean;
    integrationId?: number;
  }>;
};

/** Body of `createBatch` */
export type CreateBatchBody = {
  from: {
    email: string;
    name?: string | undefined;
  };
  reference?: string | undefined;
  tags?: string[] | undefined;
  metadata?: unknown | undefined;
  replyTo?: Array<{
    email: string;
    name?: string | undefined;
  }> | undefined;
  cc?: Array<{
    email: string;
    name?: string | undefined;
  }> | undefined;
  bcc?: Array<{
    email: string;
    name?: string | undefined;
  }> | undefined;
  headers?: Record<string, string> | undefined;
  listUnsubscribe?: {
    url?: string | undefined;
    mailto?: string | undefined;
    oneClick?: boolean | undefined;
  } | "" | undefined;
  toSuppressed?: boolean | undefined;
  locale?: string | undefined;
  variables?: Record<string, unknown> | undefined;
  attachments?: Array<{
    filename?: string | undefined;
    content?: string | undefined;
    contentType?: string | undefined;
    asset?: string | undefined;
    contentId?: string | undefined;
  }> | undefined;
  sendAt?: string | undefined;
  templateId: number | string;
  integrationId: number;
  start?: "close" | "now" | undefined;
};

/** Opens a batch: many sends under one id */
export type CreateBatchAnswer = {
  id: string;
  state: "open" | "closed" | "canceled" | (string & Record<never, never>);
  start: "close" | "now" | (string & Record<never, never>);
  createdAt: string;
  closesAt: string;
  endedAt: string | null;
  sendAt: string | null;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  recipients: number;
  sends: number;
};

/** Parameters of `listBatches` */
export type ListBatchesQuery = {
  state?: "open" | "closed" | "canceled" | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

/** One of `listBatches` */
export type ListBatchesItem = {
  id: string;
  state: "open" | "closed" | "canceled" | (string & Record<never, never>);
  start: "close" | "now" | (string & Record<never, never>);
  createdAt: string;
  closesAt: string;
  endedAt: string | null;
  sendAt: string | null;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  recipients: number;
  sends: number;
};

/** Lists the batches, the newest first */
export type ListBatchesAnswer = {
  data: ListBatchesItem[];
  next: string | null;
  incomplete?: true;
};

/** Body of `addRecipients` */
export type AddRecipientsBody = {
  to: Array<{
    email: string;
    name?: string | undefined;
    reference?: string | undefined;
    tags?: string[] | undefined;
    metadata?: unknown | undefined;
    replyTo?: Array<{
      email: string;
      name?: string | undefined;
    }> | undefined;
    cc?: Array<{
      email: string;
      name?: string | undefined;
    }> | undefined;
    bcc?: Array<{
      email: string;
      name?: string | undefined;
    }> | undefined;
    headers?: Record<string, string> | undefined;
    listUnsubscribe?: {
      url?: string | undefined;
      mailto?: string | undefined;
      oneClick?: boolean | undefined;
    } | "" | undefined;
    toSuppressed?: boolean | undefined;
    locale?: string | undefined;
    variables?: Record<string, unknown> | undefined;
    attachments?: Array<{
      id?: number | string | undefined;
      filename?: string | undefined;
      variables?: Record<string, unknown> | undefined;
      content?: string | undefined;
      contentType?: string | undefined;
      asset?: string | undefined;
      contentId?: string | undefined;
    }> | undefined;
  }>;
};

/** Accepts one mail per recipient as a part of a batch, all or none */
export type AddRecipientsAnswer = {
  status: "success";
  message: string;
  id: string;
  messages: {
    id: string;
    email: string;
  }[];
  warnings?: Array<{
    code: "unsigned_unsubscribe" | "suppressed_recipients" | (string & Record<never, never>);
    message: string;
    recipients?: number[];
  }>;
};

/** Closes a batch: its mail leaves, and no recipients can be added */
export type CloseBatchAnswer = {
  id: string;
  state: "open" | "closed" | "canceled" | (string & Record<never, never>);
  start: "close" | "now" | (string & Record<never, never>);
  createdAt: string;
  closesAt: string;
  endedAt: string | null;
  sendAt: string | null;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  recipients: number;
  sends: number;
};

/** Cancels the messages of a batch that are not sent yet */
export type CancelBatchAnswer = {
  id: string;
  state: "open" | "closed" | "canceled" | (string & Record<never, never>);
  start: "close" | "now" | (string & Record<never, never>);
  createdAt: string;
  closesAt: string;
  endedAt: string | null;
  sendAt: string | null;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  recipients: number;
  sends: number;
};

/** Returns a batch, and counts its messages by state */
export type GetBatchAnswer = {
  id: string;
  state: "open" | "closed" | "canceled" | (string & Record<never, never>);
  start: "close" | "now" | (string & Record<never, never>);
  createdAt: string;
  closesAt: string;
  endedAt: string | null;
  sendAt: string | null;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  recipients: number;
  sends: number;
  states: Record<string, unknown>;
  settled: boolean;
  incomplete?: true;
};

/** Parameters of `listSends` */
export type ListSendsQuery = {
  templateId?: string | number | undefined;
  integrationId?: string | number | undefined;
  reference?: string | undefined;
  tag?: string | undefined;
  batchId?: string | undefined;
  from?: string | Date | undefined;
  until?: string | Date | undefined;
  settled?: "true" | "false" | boolean | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

/** One of `listSends` */
export type ListSendsItem = {
  id: string;
  acceptedAt: string;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  messageCount: number;
  batchId: string | null;
  reference: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
  settled: boolean;
  settledAt: string | null;
};

/** Finds accepted sends, the newest first */
export type ListSendsAnswer = {
  data: ListSendsItem[];
  next: string | null;
  incomplete?: true;
};

/** Parameters of `listMessages` */
export type ListMessagesQuery = {
  templateId?: string | number | undefined;
  integrationId?: string | number | undefined;
  reference?: string | undefined;
  tag?: string | undefined;
  batchId?: string | undefined;
  from?: string | Date | undefined;
  until?: string | Date | undefined;
  state?: string | undefined;
  sendId?: string | undefined;
  email?: string | undefined;
  text?: string | undefined;
  reason?: string | undefined;
  code?: string | number | undefined;
  enhanced?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

/** One of `listMessages` */
export type ListMessagesItem = {
  id: string;
  sendId: string;
  email: string;
  state: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
  attempt: number;
  acceptedAt: string;
  finishedAt: string | null;
  nextAt: string | null;
  reason: string | null;
  reply: {
    code?: number;
    enhanced?: string;
    response?: string;
  } | null;
  copiesRefused?: {
    email: string;
    reply: {
      code?: number;
      enhanced?: string;
      response?: string;
    };
    suppressed?: true;
  }[];
  waiting: {
    reason: string;
    ahead: number;
  } | null;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  hasPdfs: boolean;
  reference: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
};

/** Finds messages, the newest first */
export type ListMessagesAnswer = {
  data: ListMessagesItem[];
  next: string | null;
  incomplete?: true;
};

/** Parameters of `listEvents` */
export type ListEventsQuery = {
  after?: string | undefined;
  types?: string | undefined;
  limit?: number | undefined;
  wait?: number | undefined;
};

/** One of `listEvents` */
export type ListEventsItem = {
  id: string;
  type: "message.sent" | "message.deferred" | "message.failed" | "message.unknown" | "message.canceled" | "message.retried" | "recipient.suppressed" | "send.settled" | "integration.suspended" | "integration.paused" | "integration.resumed" | "integration.unreachable" | "integration.reachable" | "template.published" | "template.archived" | "webhook.disabled" | "webhook.test" | (string & Record<never, never>);
  timestamp: string;
  sequence: number;
  data: {
    messageId: string;
    sendId: string;
    state: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
    attempt: number;
    nextAt?: string;
    reason?: string;
    reply?: {
      code?: number;
      enhanced?: string;
    };
    warnings?: Array<"missing_glyphs" | (string & Record<never, never>)>;
    email?: string;
    template: {
      id: number;
      alias: string | null;
      version: number;
    };
    integrationId: number;
    batchId?: string;
    reference: string | null;
    tags: string[];
    metadata: Record<string, unknown>;
  } | {
    sendId: string;
    messageCount: number;
    states: Record<string, unknown>;
    template: {
      id: number;
      alias: string | null;
      version: number;
    };
    integrationId: number;
    batchId?: string;
    reference: string | null;
    tags: string[];
    metadata: Record<string, unknown>;
  } | {
    integrationId: number;
    reason: string;
  } | {
    kind: "email" | "pdf" | (string & Record<never, never>);
    templateId: number;
    version?: number;
  } | {
    webhookId: string;
    reason?: string;
  };
};

/** Reads what happened, the oldest first, and waits for more */
export type ListEventsAnswer = {
  data: ListEventsItem[];
  next: string;
};

/** Renders a message again, as it was sent */
export type GetMessageContentAnswer = {
  subject: string;
  html: string;
  text: string;
  variant: string | null;
  attachments: Array<{
    index: number;
    filename: string;
    bytes: number | null;
  }>;
};

/** Returns one of a message's files: as it was sent, or a PDF printed again */
export type GetMessageAttachmentAnswer = Uint8Array<ArrayBuffer>;

/** Parameters of `explainMessage` */
export type ExplainMessageQuery = {
  values?: "true" | "false" | boolean | undefined;
};

/** Returns which level of the request gave each variable of a message */
export type ExplainMessageAnswer = {
  id: string;
  template: {
    id: number;
    version: number;
  };
  variant: string | null;
  variables: Record<string, unknown>;
  values?: Record<string, unknown>;
  attachments: Array<{
    index: number;
    id: number;
    version: number;
    variant: string | null;
    variables: Record<string, unknown>;
    values?: Record<string, unknown>;
  }>;
};

/** Cancels a message that is not sent yet */
export type CancelMessageAnswer = {
  id: string;
  sendId: string;
  email: string;
  state: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
  attempt: number;
  acceptedAt: string;
  finishedAt: string | null;
  nextAt: string | null;
  reason: string | null;
  reply: {
    code?: number;
    enhanced?: string;
    response?: string;
  } | null;
  copiesRefused?: {
    email: string;
    reply: {
      code?: number;
      enhanced?: string;
      response?: string;
    };
    suppressed?: true;
  }[];
  waiting: {
    reason: string;
    ahead: number;
  } | null;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  hasPdfs: boolean;
  reference: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
  variant: string | null;
  timeline: Array<{
    at: string;
    type: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
    attempt: number;
    durationMs?: number;
    detail?: string;
    warning?: "missing_glyphs" | (string & Record<never, never>);
    ambiguous?: boolean;
    integrationId?: number;
  }>;
};

/** Cancels the messages of a send that are not sent yet */
export type CancelSendAnswer = {
  canceled: number;
  tooLate: number;
};

/** Body of `cancelMessages` */
export type CancelMessagesBody = {
  filter: {
    sendId?: string | undefined;
    batchId?: string | undefined;
    reference?: string | undefined;
    tag?: string | undefined;
    templateId?: number | undefined;
    integrationId?: number | undefined;
  };
};

/** Cancels up to 1,000 messages that a filter finds */
export type CancelMessagesAnswer = {
  canceled: number;
  remaining: number;
};

/** Body of `retryMessage` */
export type RetryMessageBody = {
  acceptDuplicates?: boolean | undefined;
};

/** Sends a message again */
export type RetryMessageAnswer = {
  id: string;
  sendId: string;
  email: string;
  state: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
  attempt: number;
  acceptedAt: string;
  finishedAt: string | null;
  nextAt: string | null;
  reason: string | null;
  reply: {
    code?: number;
    enhanced?: string;
    response?: string;
  } | null;
  copiesRefused?: {
    email: string;
    reply: {
      code?: number;
      enhanced?: string;
      response?: string;
    };
    suppressed?: true;
  }[];
  waiting: {
    reason: string;
    ahead: number;
  } | null;
  template: {
    id: number;
    version: number;
  };
  integrationId: number;
  hasPdfs: boolean;
  reference: string | null;
  tags: string[];
  metadata: Record<string, unknown>;
  variant: string | null;
  timeline: Array<{
    at: string;
    type: "scheduled" | "queued" | "rendered" | "printed" | "deferred" | "sending" | "unknown" | "sent" | "failed" | "canceled" | "suppressed" | (string & Record<never, never>);
    attempt: number;
    durationMs?: number;
    detail?: string;
    warning?: "missing_glyphs" | (string & Record<never, never>);
    ambiguous?: boolean;
    integrationId?: number;
  }>;
};

/** Body of `retryMessages` */
export type RetryMessagesBody = {
  state: "failed" | "unknown" | "deferred" | "suppressed";
  reason?: string | null | undefined;
  code?: number | null | undefined;
  enhanced?: string | null | undefined;
  sendId?: string | undefined;
  from?: string | undefined;
  acceptDuplicates?: boolean | undefined;
};

/** Sends up to 1,000 messages again, found by the cause of their failure */
export type RetryMessagesAnswer = {
  retried: number;
  withoutContent: number;
  remaining: number;
};

/** Parameters of `listSuppressions` */
export type ListSuppressionsQuery = {
  email?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
};

/** One of `listSuppressions` */
export type ListSuppressionsItem = {
  email: string;
  reason: "hard_refusal" | "manual" | "import" | "complaint" | (string & Record<never, never>);
  reply: {
    code?: number;
    enhanced?: string;
  } | null;
  messageId: string | null;
  addedAt: string;
  expiresAt: string | null;
};

/** Lists the addresses that get no mail, by address */
export type ListSuppressionsAnswer = {
  data: ListSuppressionsItem[];
  next: string | null;
  incomplete?: true;
};

/** Body of `addSuppressions` */
export type AddSuppressionsBody = {
  suppressions: Array<{
    email: string;
    reason?: "manual" | "import" | undefined;
    expiresAt?: string | undefined;
  }>;
};

/** Puts up to 1,000 addresses on the suppression list */
export type AddSuppressionsAnswer = {
  added: number;
};

/** Body of `removeSuppressions` */
export type RemoveSuppressionsBody = {
  emails: string[];
};

/** Takes up to 1,000 addresses from the suppression list */
export type RemoveSuppressionsAnswer = {
  removed: number;
};

/** The input and output of each operation. */
export interface Operations {
  /** Returns what the service is, and what the token may do */
  getService: { answer: GetServiceAnswer };
  /** Returns the OpenAPI document of this interface */
  getOpenApi: { answer: GetOpenApiAnswer };
  /** Lists the published email templates */
  listTemplates: { query?: ListTemplatesQuery; answer: ListTemplatesAnswer };
  /** Returns a published email template, by id or alias */
  getTemplate: { path: { id: string | number }; answer: GetTemplateAnswer };
  /** Lists the published PDF templates */
  listPdfTemplates: { query?: ListPdfTemplatesQuery; answer: ListPdfTemplatesAnswer };
  /** Returns a published PDF template, by id or alias */
  getPdfTemplate: { path: { id: string | number }; answer: GetPdfTemplateAnswer };
  /** Returns the JSON Schema of the variables of an email template */
  getTemplateSchema: { path: { id: string | number }; answer: GetTemplateSchemaAnswer };
  /** Returns the JSON Schema of the variables of a PDF template */
  getPdfTemplateSchema: { path: { id: string | number }; answer: GetPdfTemplateSchemaAnswer };
  /** Lists the integrations that mail can be sent through */
  listIntegrations: { query?: ListIntegrationsQuery; answer: ListIntegrationsAnswer };
  /** Returns an integration and its state */
  getIntegration: { path: { id: string | number }; answer: GetIntegrationAnswer };
  /** Fills an email template with variables */
  renderTemplate: { path: { templateId: string | number }; query?: RenderTemplateQuery; body: RenderTemplateBody; answer: RenderTemplateAnswer };
  /** Fills a PDF template with variables and prints it */
  renderPdfTemplate: { path: { id: string | number }; query?: RenderPdfTemplateQuery; body: RenderPdfTemplateBody; answer: RenderPdfTemplateAnswer };
  /** Accepts one mail per recipient, all or none */
  sendTemplate: { path: { templateId: string | number; integrationId: string | number }; body: SendTemplateBody; answer: SendTemplateAnswer };
  /** Checks a send and fills some of its mails, without accepting it */
  tryTemplate: { path: { templateId: string | number; integrationId: string | number }; query?: TryTemplateQuery; body: TryTemplateBody; answer: TryTemplateAnswer };
  /** Returns an accepted send with the state of each message */
  getSend: { path: { id: string | number }; answer: GetSendAnswer };
  /** Changes when a scheduled send starts */
  scheduleSend: { path: { id: string | number }; body: ScheduleSendBody; answer: ScheduleSendAnswer };
  /** Returns the state and history of one recipient's mail */
  getMessage: { path: { id: string | number }; answer: GetMessageAnswer };
  /** Opens a batch: many sends under one id */
  createBatch: { body: CreateBatchBody; answer: CreateBatchAnswer };
  /** Lists the batches, the newest first */
  listBatches: { query?: ListBatchesQuery; answer: ListBatchesAnswer };
  /** Accepts one mail per recipient as a part of a batch, all or none */
  addRecipients: { path: { id: string | number }; body: AddRecipientsBody; answer: AddRecipientsAnswer };
  /** Closes a batch: its mail leaves, and no recipients can be added */
  closeBatch: { path: { id: string | number }; answer: CloseBatchAnswer };
  /** Cancels the messages of a batch that are not sent yet */
  cancelBatch: { path: { id: string | number }; answer: CancelBatchAnswer };
  /** Returns a batch, and counts its messages by state */
  getBatch: { path: { id: string | number }; answer: GetBatchAnswer };
  /** Finds accepted sends, the newest first */
  listSends: { query?: ListSendsQuery; answer: ListSendsAnswer };
  /** Finds messages, the newest first */
  listMessages: { query?: ListMessagesQuery; answer: ListMessagesAnswer };
  /** Reads what happened, the oldest first, and waits for more */
  listEvents: { query?: ListEventsQuery; answer: ListEventsAnswer };
  /** Renders a message again, as it was sent */
  getMessageContent: { path: { id: string | number }; answer: GetMessageContentAnswer };
  /** Returns one of a message's files: as it was sent, or a PDF printed again */
  getMessageAttachment: { path: { id: string | number; n: string | number }; answer: GetMessageAttachmentAnswer };
  /** Returns which level of the request gave each variable of a message */
  explainMessage: { path: { id: string | number }; query?: ExplainMessageQuery; answer: ExplainMessageAnswer };
  /** Cancels a message that is not sent yet */
  cancelMessage: { path: { id: string | number }; answer: CancelMessageAnswer };
  /** Cancels the messages of a send that are not sent yet */
  cancelSend: { path: { id: string | number }; answer: CancelSendAnswer };
  /** Cancels up to 1,000 messages that a filter finds */
  cancelMessages: { body: CancelMessagesBody; answer: CancelMessagesAnswer };
  /** Sends a message again */
  retryMessage: { path: { id: string | number }; body?: RetryMessageBody; answer: RetryMessageAnswer };
  /** Sends up to 1,000 messages again, found by the cause of their failure */
  retryMessages: { body: RetryMessagesBody; answer: RetryMessagesAnswer };
  /** Lists the addresses that get no mail, by address */
  listSuppressions: { query?: ListSuppressionsQuery; answer: ListSuppressionsAnswer };
  /** Puts up to 1,000 addresses on the suppression list */
  addSuppressions: { body: AddSuppressionsBody; answer: AddSuppressionsAnswer };
  /** Takes up to 1,000 addresses from the suppression list */
  removeSuppressions: { body: RemoveSuppressionsBody; answer: RemoveSuppressionsAnswer };
}
