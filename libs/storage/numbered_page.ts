/** Which page of a list is wanted. */
export interface NumberedPage {
  /** Items with this number or a lower one were listed before. @default {0} */
  after?: number | undefined;
  limit: number;
  /** Numbers that are listed alone; an empty list stands for all. @default all */
  only?: readonly number[] | undefined;
}

/** Returns the condition on the numbers of a page's items. */
export function numbersOf({ after = 0, only = [] }: NumberedPage) {
  return { $gt: after, ...(only.length === 0 ? {} : { $in: [...only] }) };
}
