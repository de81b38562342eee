/** Where {@linkcode announce} writes. */
export const ANNOUNCER = "announcer";

/** Has a screen reader say which page is there now: nothing else tells that it has changed. */
export function announce(title: string): void {
  const place = document.getElementById(ANNOUNCER);
  if (place !== null && place.textContent !== title) place.textContent = title;
}
