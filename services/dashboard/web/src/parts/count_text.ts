/** Returns a count with its noun: `1 address`, `1,200 addresses`. */
export function countText(count: number, one: string, many: string): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
