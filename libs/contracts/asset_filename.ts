/** The endings of file names, by type. */
const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": ".png",
  "image/jpeg": ".jpg",
  "image/gif": ".gif",
  "image/webp": ".webp",
  "image/svg+xml": ".svg",
  "font/ttf": ".ttf",
  "font/otf": ".otf",
  "font/woff2": ".woff2",
  "application/pdf": ".pdf",
  "application/zip": ".zip",
  "text/calendar": ".ics",
  "text/csv": ".csv",
  "text/plain": ".txt",
};

const TYPES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(ENDINGS).map(([type, ending]) => [ending, type])),
  ".jpeg": "image/jpeg",
};

/** Returns the ending of the files of a type, `.png`; `.bin` for an unknown one. */
function endingOf(contentType: string): string {
  return ENDINGS[contentType.split(";", 1)[0]?.trim().toLowerCase() ?? ""] ?? ".bin";
}

/** Returns the type of a file, by the ending of its name. */
export function typeOfFile(filename: string): string {
  return TYPES[extensionOf(filename).toLowerCase()] ?? "application/octet-stream";
}

/** Returns the ending of a file name, `.png`; an empty text if it has none, or is nothing else. */
export function extensionOf(filename: string): string {
  return /(?<=.)\.[^.]*$/s.exec(filename)?.[0] ?? "";
}

/** Returns the file name of an asset that has none of its own: `logo` becomes `logo.png`. */
export function usualFilename(name: string, contentType: string): string {
  const ending = endingOf(contentType);
  return typeOfFile(name) === typeOfFile(`x${ending}`) ? name : `${name}${ending}`;
}
