/**
 * Marks the calling test file as longer than ten seconds: `npm test` starts it before the others, so that no
 * run waits for it at the end. The runner sees it by the import alone.
 */
export function takesLong(): void {}
