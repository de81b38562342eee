import type { IconType } from "react-icons";
import {
  TbApi,
  TbChartBar,
  TbKey,
  TbMailOff,
  TbPhoto,
  TbPuzzle,
  TbSend,
  TbServer,
  TbSettings,
  TbStack2,
  TbWebhook,
} from "react-icons/tb";
import { type ComponentType, lazy } from "react";
import { TEMPLATE_ICONS } from "./pages/templates/template_icons.ts";

/** A page of the dashboard: its name, its path, and its component. */
export interface PageEntry {
  label: string;
  /** The heading of the menu below which it stands. @default {that of the page before} */
  group?: string;
  /** Path in the address, `/` for the first; the page handles the rest of the path. */
  path: string;
  icon: IconType;
  page: ComponentType;
  /** Whether people who change texts only may open it. */
  isForTexts?: boolean;
}

/** All pages, in the order of the menu. Each is loaded on demand. */
export const PAGES: readonly PageEntry[] = [
  {
    label: "Overview",
    path: "/",
    icon: TbChartBar,
    page: lazy(() => import("./pages/overview/overview.tsx")),
  },
  {
    label: "Messages",
    group: "Mail",
    path: "/messages",
    icon: TbSend,
    page: lazy(() => import("./pages/messages/messages.tsx")),
  },
  {
    label: "Batches",
    path: "/batches",
    icon: TbStack2,
    page: lazy(() => import("./pages/batches/batches.tsx")),
  },
  {
    label: "Suppressions",
    path: "/suppressions",
    icon: TbMailOff,
    page: lazy(() => import("./pages/suppressions/suppressions.tsx")),
  },
  {
    label: "Email templates",
    group: "Content",
    path: "/email-templates",
    icon: TEMPLATE_ICONS.email,
    page: lazy(() => import("./pages/templates/email_templates.tsx")),
    isForTexts: true,
  },
  {
    label: "PDF templates",
    path: "/pdf-templates",
    icon: TEMPLATE_ICONS.pdf,
    page: lazy(() => import("./pages/templates/pdf_templates.tsx")),
    isForTexts: true,
  },
  {
    label: "Partials",
    path: "/partials",
    icon: TbPuzzle,
    page: lazy(() => import("./pages/partials/partials.tsx")),
  },
  {
    label: "Files",
    path: "/files",
    icon: TbPhoto,
    page: lazy(() => import("./pages/files/file_library.tsx")),
  },
  {
    label: "Integrations",
    group: "Connections",
    path: "/integrations",
    icon: TbServer,
    page: lazy(() => import("./pages/integrations/integrations.tsx")),
  },
  {
    label: "Webhooks",
    path: "/webhooks",
    icon: TbWebhook,
    page: lazy(() => import("./pages/webhooks/webhooks.tsx")),
  },
  {
    label: "Tokens",
    path: "/tokens",
    icon: TbKey,
    page: lazy(() => import("./pages/tokens/tokens.tsx")),
  },
  {
    label: "API",
    path: "/api-reference",
    icon: TbApi,
    page: lazy(() => import("./pages/api/api_page.tsx")),
  },
  {
    label: "Settings",
    group: "Account",
    path: "/settings",
    icon: TbSettings,
    page: lazy(() => import("./pages/settings/settings.tsx")),
    isForTexts: true,
  },
];
