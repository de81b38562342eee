/** The shortest password of a person, in characters. */
export const MIN_PASSWORD = 12;

/** The longest password of a person, in characters. */
export const MAX_PASSWORD = 200;
