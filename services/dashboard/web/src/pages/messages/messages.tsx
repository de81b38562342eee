import { Page } from "../../parts/page.tsx";

/** To be written. */
export default function Messages() {
  return <Page title="Messages">{null}</Page>;
}
