import { Tabs } from "@mantine/core";
import { includesRole, type Role } from "@posthaste/contracts";
import { type ReactNode, useEffect, useRef } from "react";
import { Redirect, useLocation } from "wouter";
import { Page } from "../../parts/page.tsx";
import { useSession } from "../../session.tsx";
import { AccountTab } from "./account_tab.tsx";
import { AuditTab } from "./audit_tab.tsx";
import { LimitsTab } from "./limits_tab.tsx";
import { MailTab } from "./mail_tab.tsx";
import { MembersTab } from "./members_tab.tsx";
import { YouTab } from "./you_tab.tsx";

interface Tab {
  /** Its path below the page's own. */
  path: string;
  label: string;
  content: () => ReactNode;
  /** The lowest role that may open it. @default {"viewer"} */
  role?: Role;
}

const TABS: readonly Tab[] = [
  { path: "account", label: "Account", content: AccountTab },
  { path: "members", label: "Members", content: MembersTab },
  { path: "you", label: "You", content: YouTab, role: "texts" },
  { path: "mail", label: "Mail", content: MailTab },
  { path: "limits", label: "Limits", content: LimitsTab },
  { path: "audit", label: "Audit log", content: AuditTab, role: "owner" },
];

/** Settings of the account, and of the user. Each tab has an address. */
export default function Settings() {
  const [location, navigate] = useLocation();
  const { role } = useSession();
  const tabs = TABS.filter((tab) => includesRole(role, tab.role ?? "viewer"));
  const path = location.split("/")[1] ?? "";
  const list = useRef<HTMLDivElement>(null);
  // On a phone, the list of tabs scrolls.
  useEffect(() => {
    const tab = list.current?.querySelector('[aria-selected="true"]');
    tab?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [path]);
  const shown = tabs.find((tab) => tab.path === path);
  if (shown === undefined) return <Redirect to={`/${tabs[0]?.path ?? ""}`} replace />;
  return (
    <Page title="Settings">
      <Tabs
        value={path}
        onChange={(next) => navigate(`/${next ?? "account"}`)}
        keepMounted={false}
        maw={800}
      >
        <Tabs.List ref={list}>
          {tabs.map(({ path, label }) => <Tabs.Tab key={path} value={path}>{label}</Tabs.Tab>)}
        </Tabs.List>
        {tabs.map(({ path, content: Content }) => (
          <Tabs.Panel key={path} value={path} pt="lg">
            <Content />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
