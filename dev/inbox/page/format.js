// @ts-check
const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });

/** @param {string} iso */
export function ago(iso) {
  const date = new Date(iso);
  const seconds = (Date.now() - date.getTime()) / 1000;
  if (seconds < 60) return "now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return date.toDateString() === new Date().toDateString() ? clock.format(date) : day.format(date);
}

/** @param {string} iso */
export function fullTime(iso) {
  return full.format(new Date(iso));
}

/** @param {number} bytes */
export function sizeOf(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${Math.round(bytes / 1000)} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** @param {{ filename: string, contentType: string }} file */
export function kindOf({ filename, contentType }) {
  const ending = /\.([a-z0-9]{1,4})$/i.exec(filename)?.[1];
  return (ending ?? contentType.split("/")[1]?.slice(0, 4) ?? "file").toUpperCase();
}
