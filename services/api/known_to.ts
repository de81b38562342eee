/**
 * Filters of a request that a search knows under the same names. A filter that the search would ignore has the
 * type `never`, so that the compiler refuses it.
 */
export type KnownTo<Search, Filters> = {
  [Name in keyof Filters]: Name extends keyof Search ? Search[Name] : never;
};
