/**
 * The closed list of types for the attribute `error.type` of spans and metrics. `internal` is any unforeseen
 * error.
 */
export const ERROR_TYPES = [
  "canceled",
  "timeout",
  "invalid_input",
  "not_found",
  "conflict",
  "too_large",
  "rate_limited",
  "unauthenticated",
  "forbidden",
  "unavailable",
  "dns",
  "tls",
  "smtp_auth",
  "smtp_4xx",
  "smtp_5xx",
  "disk_full",
  "internal",
] as const;

/** One of {@linkcode ERROR_TYPES}. */
export type ErrorType = (typeof ERROR_TYPES)[number];

const KNOWN: ReadonlySet<string> = new Set(ERROR_TYPES);

const BY_NAME: Readonly<Record<string, ErrorType>> = {
  AbortError: "canceled",
  TimeoutError: "timeout",
  ZodError: "invalid_input",
  $ZodError: "invalid_input",
  ConfigError: "invalid_input",
  SyntaxError: "invalid_input",
  ConnectionError: "unavailable",
  ClosedConnectionError: "unavailable",
  DrainingConnectionError: "unavailable",
  NoResponders: "unavailable",
  RequestError: "unavailable",
  // Without a code, the connection broke: the driver wraps that error.
  MongoBulkWriteError: "unavailable",
  MongoNetworkError: "unavailable",
  MongoNotConnectedError: "unavailable",
  MongoNetworkTimeoutError: "timeout",
  MongoOperationTimeoutError: "timeout",
  MongoPoolClearedError: "unavailable",
  MongoServerSelectionError: "unavailable",
  MongoTopologyClosedError: "unavailable",
  MongoWaitQueueTimeoutError: "timeout",
  MongoWriteConcernError: "timeout",
};

const BY_CODE: Readonly<Record<string, ErrorType>> = {
  ABORT_ERR: "canceled",
  ETIMEDOUT: "timeout",
  ESOCKETTIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_SOCKET: "unavailable",
  ECONNREFUSED: "unavailable",
  ECONNRESET: "unavailable",
  ECONNABORTED: "unavailable",
  EHOSTUNREACH: "unavailable",
  ENETUNREACH: "unavailable",
  EPIPE: "unavailable",
  ESOCKET: "unavailable",
  ECONNECTION: "unavailable",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  EDNS: "dns",
  EAUTH: "smtp_auth",
  ENOAUTH: "smtp_auth",
  ETLS: "tls",
  DEPTH_ZERO_SELF_SIGNED_CERT: "tls",
  SELF_SIGNED_CERT_IN_CHAIN: "tls",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "tls",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "tls",
  EMSGSIZE: "too_large",
  ENOENT: "not_found",
  EEXIST: "conflict",
  EACCES: "forbidden",
  EPERM: "forbidden",
  ENOSPC: "disk_full",
  "11000": "conflict",
  // MongoDB: host unreachable or not found, time limits, no majority in time, a conflict of writes.
  "6": "unavailable",
  "7": "unavailable",
  "50": "timeout",
  "64": "timeout",
  "89": "timeout",
  "112": "unavailable",
  "262": "timeout",
  "9001": "unavailable",
  // MongoDB while another member becomes primary: shutting down, stepping down, not primary.
  "91": "unavailable",
  "189": "unavailable",
  "10107": "unavailable",
  "11600": "unavailable",
  "11602": "unavailable",
  "13435": "unavailable",
  "13436": "unavailable",
};

const DEPTH = 5;

/**
 * Returns the type of any thrown value, from {@linkcode ERROR_TYPES}: its own property `errorType` if that is
 * in the list, or else by SMTP reply, code and name, or else by its cause.
 */
export function errorType(error: unknown): ErrorType {
  let current = error;
  for (let depth = 0; depth < DEPTH && typeof current === "object" && current !== null; depth++) {
    const found = typeOfOne(current as ErrorLike);
    if (found !== undefined) return found;
    current = (current as ErrorLike).cause;
  }
  return "internal";
}

interface ErrorLike {
  name?: unknown;
  code?: unknown;
  errorType?: unknown;
  responseCode?: unknown;
  statusCode?: unknown;
  cause?: unknown;
}

function typeOfOne(error: ErrorLike): ErrorType | undefined {
  if (typeof error.errorType === "string" && KNOWN.has(error.errorType)) {
    return error.errorType as ErrorType;
  }
  const code = typeof error.code === "string" || typeof error.code === "number"
    ? String(error.code)
    : "";
  // EAUTH comes with a 535: the refused login matters, not the 5xx.
  if (code === "EAUTH") return "smtp_auth";
  return typeOfReply(error.responseCode) ?? typeOfCode(code) ??
    (typeof error.name === "string" ? own(BY_NAME, error.name) : undefined) ??
    typeOfStatus(error.statusCode);
}

function typeOfReply(reply: unknown): ErrorType | undefined {
  if (typeof reply !== "number") return undefined;
  if (reply >= 400 && reply < 500) return "smtp_4xx";
  if (reply >= 500 && reply < 600) return "smtp_5xx";
  return undefined;
}

function typeOfCode(code: string): ErrorType | undefined {
  if (code.startsWith("CERT_") || code.startsWith("ERR_TLS_") || code.startsWith("ERR_SSL_")) {
    return "tls";
  }
  return own(BY_CODE, code);
}

function typeOfStatus(status: unknown): ErrorType | undefined {
  switch (status) {
    case 400:
    case 415:
    case 422:
      return "invalid_input";
    case 401:
      return "unauthenticated";
    case 403:
      return "forbidden";
    case 404:
      return "not_found";
    case 409:
      return "conflict";
    case 413:
      return "too_large";
    case 429:
      return "rate_limited";
    case 503:
      return "unavailable";
    case 504:
      return "timeout";
    default:
      return undefined;
  }
}

function own(table: Readonly<Record<string, ErrorType>>, key: string): ErrorType | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
