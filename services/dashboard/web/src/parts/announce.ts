/** Where {@linkcode announce} writes. */
export const ANNOUNCER = "announcer";

/** Makes a screen reader announce the new page: nothing else reports the change. */
export function announce(title: string): void {
  const place = document.getElementById(ANNOUNCER);
  if (place !== null && place.textContent !== title) place.textContent = title;
}
