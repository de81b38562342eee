/** The account and integration of a mail. */
export interface LabeledMail {
  accountId: string;
  integrationId: number;
}

/**
 * Returns the metric label of a mail's integration. The first `most` of a process get their own names
 * (`<account>/<integration>`), all others are "other". Each name is a time series for the life of the
 * process, so their number must be bounded. With 0 there is no label.
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
