import { Fragment } from "react";

/** A long address or path that breaks before its signs, instead of inside a word. */
export function Breakable({ text }: { text: string }) {
  return text.split(/(?=[@/.])/).map((part, position) => (
    <Fragment key={position}>
      {position > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
