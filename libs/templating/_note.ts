/** Notes that a tag at a position of the source needs a person. */
export type Note = (at: number, text: string, why: string) => void;
