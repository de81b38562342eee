/**
 * `POST /api/templates/<email|pdf>/preview/texts` takes a `PreviewRequest` and gives a `MarkedPreview`. It is
 * for people who may change texts.
 */

/** A preview with the signs of `texts/mark_signs.ts` around its texts: where each can be edited. */
export interface MarkedPreview {
  /** The subject, or the file name of a PDF. Null if the source could not be filled. */
  subject: string | null;
  html: string | null;
  /** The text part. Null as well if it is made from the HTML. */
  text: string | null;
  /**
   * Key of a PDF whose links are the places of texts and images, as in `texts/link_marks.ts`. Null for a mail,
   * and if none could be printed.
   */
  pdf: string | null;
  /** The names of the partials whose texts have signs, by their number. */
  partials: string[];
}
