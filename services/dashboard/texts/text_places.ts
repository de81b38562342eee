import type { MarkedText } from "./read_marks.ts";

/**
 * Finds marked texts in the same text as it was rendered without marks; none if the two differ in more than
 * spaces. Marks can change spaces: Handlebars leaves out lines that have a tag alone.
 */
export function textPlaces(
  shown: string,
  { text, texts }: { text: string; texts: readonly MarkedText[] },
): MarkedText[] {
  if (shown === text) return [...texts];
  const [places, marked] = [inkPlaces(shown), inkPlaces(text)];
  if (places.length !== marked.length) return [];
  if (marked.some((place, index) => text[place] !== shown[places[index] ?? -1])) return [];
  /** Returns how many characters that are no spaces precede an offset. */
  const countBefore = (offset: number) => {
    let [low, high] = [0, marked.length];
    while (low < high) {
      const middle = low + high >> 1;
      if ((marked[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return texts.flatMap((one) => {
    const [first, end] = [countBefore(one.start), countBefore(one.end)];
    const [from, last] = [places[first], places[end - 1]];
    if (end <= first || from === undefined || last === undefined) return [];
    return [{ ...one, start: from, end: last + 1 }];
  });
}

/** Returns the places of all characters that are no spaces. */
function inkPlaces(text: string): number[] {
  return [...text.matchAll(/\S/g)].map(({ index }) => index);
}
