import { Page } from "../../parts/page.tsx";

/** To be written. */
export default function Integrations() {
  return <Page title="Integrations">{null}</Page>;
}
