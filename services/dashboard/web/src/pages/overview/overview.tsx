import { Page } from "../../parts/page.tsx";

/** To be written. */
export default function Overview() {
  return <Page title="Overview">{null}</Page>;
}
