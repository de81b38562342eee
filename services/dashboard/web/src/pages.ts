import {
  type Icon,
  IconChartBar,
  IconFileTypePdf,
  IconKey,
  IconMail,
  IconSend,
  IconServer,
  IconSettings,
} from "@tabler/icons-react";
import { type ComponentType, lazy } from "react";

/** A page of the dashboard: what it is called, where it is, and who shows it. */
export interface PageEntry {
  label: string;
  /** Path in the address, `/` for the first; what follows is the page's own business. */
  path: string;
  icon: Icon;
  page: ComponentType;
}

/** All pages, in the order in which the menu lists them. Each is loaded when it is needed. */
export const PAGES: readonly PageEntry[] = [
  {
    label: "Overview",
    path: "/",
    icon: IconChartBar,
    page: lazy(() => import("./pages/overview/overview.tsx")),
  },
  {
    label: "Messages",
    path: "/messages",
    icon: IconSend,
    page: lazy(() => import("./pages/messages/messages.tsx")),
  },
  {
    label: "Email templates",
    path: "/email-templates",
    icon: IconMail,
    page: lazy(() => import("./pages/templates/email_templates.tsx")),
  },
  {
    label: "PDF templates",
    path: "/pdf-templates",
    icon: IconFileTypePdf,
    page: lazy(() => import("./pages/templates/pdf_templates.tsx")),
  },
  {
    label: "Integrations",
    path: "/integrations",
    icon: IconServer,
    page: lazy(() => import("./pages/integrations/integrations.tsx")),
  },
  {
    label: "Tokens",
    path: "/tokens",
    icon: IconKey,
    page: lazy(() => import("./pages/tokens/tokens.tsx")),
  },
  {
    label: "Settings",
    path: "/settings",
    icon: IconSettings,
    page: lazy(() => import("./pages/settings/settings.tsx")),
  },
];
