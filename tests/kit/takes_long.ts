/**
 * Says of the test file that calls it that it takes more than ten seconds: `npm test` starts it before
 * the others, so that nothing waits for it at the end. The runner sees it by the import
 * alone.
 */
export function takesLong(): void {}
