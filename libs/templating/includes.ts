/** What the templates of an account share. Publishing writes it into the template: nothing is looked up later. */
export interface Includes {
  /** Sources of partials by name: `{{> name}}`, or `{{#> name}}…{{/name}}` for one with `{{> @partial-block}}`. */
  readonly partials: Readonly<Record<string, string>>;
  /** Values by name, for `{{@brand.name}}`. */
  readonly brand?: Readonly<Record<string, string>> | undefined;
}
