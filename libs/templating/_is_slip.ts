/** Two shorter names are too often similar. */
const MIN_LENGTH = 4;

/**
 * Returns whether a word is another one with a slip of the finger: one letter too many, missing or wrong, two
 * of them swapped, or other capitals. Names that differ in a number or in their first letter are two names:
 * `line1` and `line2`, `fname` and `lname`.
 */
export function isSlip(word: string, meant: string): boolean {
  const [a, b] = [word.toLowerCase(), meant.toLowerCase()];
  if (a === b) return true;
  if (Math.max(a.length, b.length) < MIN_LENGTH) return false;
  if (a.replace(/\d+/g, "") === b.replace(/\d+/g, "")) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  if (restA.slice(2) === restB.slice(2) && restA[0] === restB[1] && restA[1] === restB[0]) {
    return true;
  }
  if (start === 0) return false;
  if (a.length === b.length) return restA.slice(1) === restB.slice(1);
  return restA.slice(1) === restB || restA === restB.slice(1);
}
