import { Page } from "../../parts/page.tsx";

/** To be written. */
export default function Tokens() {
  return <Page title="Tokens">{null}</Page>;
}
