import { Component, type ReactNode } from "react";
import { HttpError } from "../api.ts";
import { Failed } from "./states.tsx";

/** Shows that a page could not be loaded; without it React would remove the whole application. */
export class PageBoundary extends Component<{ children: ReactNode }, { isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError(): { isBroken: boolean } {
    return { isBroken: true };
  }

  override render(): ReactNode {
    if (!this.state.isBroken) return this.props.children;
    // The browser does not request the same file twice.
    return <Failed error={ERROR} retry={() => location.reload()} />;
  }
}

const ERROR = new HttpError(
  "offline",
  "The dashboard cannot be reached, or this page failed",
);
