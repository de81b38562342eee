import { Page } from "../../parts/page.tsx";

/** To be written. */
export default function Settings() {
  return <Page title="Settings">{null}</Page>;
}
