/**
 * Marks the calling test file as too long for every change: `npm test` leaves it out unless it is requested
 * by `--all`, by a word in its path, or by a change that touches it. The runner sees it by the import alone.
 *
 * @param _shortForms Test files that `npm test` always runs, and that show the same in short
 */
export function nightly(..._shortForms: readonly [string, ...string[]]): void {}
