/** The page of a list to return. */
export interface NumberedPage {
  /** Returns only items with a higher number. @default {0} */
  after?: number | undefined;
  limit: number;
  /** Returns only these numbers. An empty list means all. @default all */
  only?: readonly number[] | undefined;
}

/** Returns the condition on the numbers of a page's items. */
export function numbersOf({ after = 0, only = [] }: NumberedPage) {
  return { $gt: after, ...(only.length === 0 ? {} : { $in: [...only] }) };
}
