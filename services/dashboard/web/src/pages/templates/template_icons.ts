import type { TemplateKind } from "@posthaste/contracts";
import type { IconType } from "react-icons";
import { TbFileTypePdf, TbMail } from "react-icons/tb";

/** The icon of each kind of template, in the menu and where a list is empty. */
export const TEMPLATE_ICONS: Readonly<Record<TemplateKind, IconType>> = {
  email: TbMail,
  pdf: TbFileTypePdf,
};
