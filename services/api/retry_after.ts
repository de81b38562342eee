/** What a 503 recommends in `Retry-After` while a part of the service does not answer, in seconds. */
export const RETRY_AFTER_SECONDS = 2;
