/** One thing that is wrong with a request. */
export interface Issue {
  /** Where: `to.0.email`. */
  path: string;
  /** What kind of fault it is; new kinds may come. */
  code?: string;
  message: string;
}

/** What is known of a failed request. */
export interface PosthasteErrorOptions extends ErrorOptions {
  status: number;
  code: string;
  issues?: readonly Issue[];
  requestId?: string | undefined;
}

/** A request that failed: the service refused it, or no answer came. */
export class PosthasteError extends Error {
  override name = "PosthasteError";
  /** Status of the answer. 0: there was none. */
  readonly status: number;
  /**
   * What kind of failure it is. Beside the codes of the interface: `network` and `timeout` when no
   * answer came, `unreadable_answer` when the answer was not that of a Posthaste service.
   */
  readonly code: string;
  /** All that is wrong with the request. Empty if the sentence says it all. */
  readonly issues: readonly Issue[];
  /** `X-Request-Id` of the answer: what the operator finds the request by. */
  readonly requestId: string | undefined;

  constructor(message: string, options: PosthasteErrorOptions) {
    super(message, options);
    this.status = options.status;
    this.code = options.code;
    this.issues = options.issues ?? [];
    this.requestId = options.requestId;
  }
}
