/** Who a mail is sent for. */
export interface LabeledMail {
  accountId: string;
  integrationId: number;
}

/**
 * Returns what metrics call the integration of a mail: the first `most` that a process meets get names of
 * their own (`<account>/<integration>`), all others are "other". Each name is a time series for as long
 * as the process lives, so their number must have a bound. With 0 there is no such label.
 */
export function integrationLabels(most: number): (mail: LabeledMail) => string | undefined {
  const named = new Set<string>();
  return ({ accountId, integrationId }) => {
    if (most === 0) return undefined;
    const name = `${accountId}/${integrationId}`;
    if (named.has(name)) return name;
    if (named.size >= most) return "other";
    named.add(name);
    return name;
  };
}
