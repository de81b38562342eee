import {
  ActionIcon,
  AppShell,
  Burger,
  Group,
  Menu,
  NavLink,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { modals } from "@mantine/modals";
import { TbLogout, TbMapPinOff, TbMoon, TbSun, TbUserCircle } from "react-icons/tb";
import { useQueryClient } from "@tanstack/react-query";
import { Fragment, type MouseEvent, Suspense, useEffect } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import { useBrowserLocation } from "wouter/use-browser-location";
import { request } from "./api.ts";
import { forgetDrafts } from "./pages/templates/kept_draft.ts";
import { type PageEntry, PAGES } from "./pages.ts";
import { ANNOUNCER } from "./parts/announce.ts";
import { Page } from "./parts/page.tsx";
import { PageBoundary } from "./parts/page_boundary.tsx";
import { Empty, Waiting } from "./parts/states.tsx";
import { ROLE_NAMES } from "./parts/role_name.ts";
import { showError } from "./parts/show_outcome.ts";
import { useChangesTextsOnly, useSession } from "./session.tsx";

const CONTENT = "content";

/** The address stays unchanged: it can be shared. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.getElementById(CONTENT)?.focus();
}

/** The frame of every page: the menu, the account, and the signed-in person. */
export function Shell() {
  const [opened, { toggle, close }] = useDisclosure();
  const { account } = useSession();
  const [location] = useLocation();
  // A question about one object must not stay over another page, after going back.
  useEffect(() => modals.closeAll(), [location]);
  const pages = usePages();
  const [first] = pages;
  const isElsewhere = location === "/" && first !== undefined && first.path !== "/";
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 220, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "sm", sm: "lg" }}
    >
      <a className="skip-link" href={`#${CONTENT}`} onClick={skip}>Skip to the content</a>
      <VisuallyHidden id={ANNOUNCER} role="status" />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={opened}
            />
            <img src="/icon.svg" alt="" width={24} height={24} />
            <Text fw={650} visibleFrom="xs">Posthaste</Text>
            <Text c="dimmed" truncate title={account.name} style={{ minWidth: 0 }}>
              {account.name}
            </Text>
          </Group>
          <Group gap={4} wrap="nowrap">
            <SchemeButton />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages" style={{ overflowY: "auto" }}>
        <Pages onPick={close} />
      </AppShell.Navbar>
      <AppShell.Main id={CONTENT} tabIndex={-1}>
        <PageBoundary key={location.split("/")[1]}>
          <Suspense fallback={<Waiting />}>
            {isElsewhere && <ToPage to={first.path} />}
            <Switch>
              {pages.map(({ path, page }) => (
                <Route key={path} path={path} component={page} nest={path !== "/"} />
              ))}
              <Route>
                <Page title="There is no such page">
                  <Empty icon={TbMapPinOff} title="Page not found">
                    The page may have moved, or its content was removed.
                  </Empty>
                </Page>
              </Route>
            </Switch>
          </Suspense>
        </PageBoundary>
      </AppShell.Main>
    </AppShell>
  );
}

/** Opens a page, also after the account was put into the address. */
function ToPage({ to }: { to: string }) {
  const [, navigate] = useLocation();
  const [address] = useBrowserLocation();
  useEffect(() => navigate(to, { replace: true }), [to, navigate, address]);
  return null;
}

/** Returns the pages that the person may open. */
function usePages(): readonly PageEntry[] {
  return useChangesTextsOnly() ? PAGES_FOR_TEXTS : PAGES;
}

const PAGES_FOR_TEXTS = PAGES.filter(({ isForTexts }) => isForTexts === true);

function Pages({ onPick }: { onPick: () => void }) {
  const [location] = useLocation();
  return usePages().map(({ label, group, path, icon: Sign }) => (
    <Fragment key={path}>
      {group !== undefined && (
        <Text size="xs" fw={600} c="dimmed" px="xs" mt="md" mb={4}>{group}</Text>
      )}
      <NavLink
        component={Link}
        href={path}
        label={label}
        leftSection={<Sign size={18} strokeWidth={1.6} />}
        active={path === "/" ? location === "/" : location.startsWith(path)}
        aria-current={location === path || location === `${path}/` ? "page" : undefined}
        onClick={onPick}
        py={6}
        px="xs"
        style={{ borderRadius: "var(--mantine-radius-md)" }}
      />
    </Fragment>
  ));
}

function SchemeButton() {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme("light");
  const other = scheme === "light" ? "dark" : "light";
  const Sign = scheme === "light" ? TbMoon : TbSun;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={`Change to ${other} colours`}
      onClick={() => setColorScheme(other)}
    >
      <Sign size={18} />
    </ActionIcon>
  );
}

function PersonMenu() {
  const { user, account, accounts } = useSession();
  const client = useQueryClient();
  const act = async (work: Promise<unknown>) => {
    try {
      await work;
      client.clear();
      location.assign("/");
    } catch (error) {
      showError(error);
    }
  };
  return (
    <Menu position="bottom-end" width={260}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="You and your accounts">
          <TbUserCircle size={20} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{user.name} · {user.email}</Menu.Label>
        {accounts.map(({ id, name, role }) => (
          <Menu.Item
            key={id}
            disabled={id === account.id}
            onClick={() => void act(request("/session/account", { method: "PUT", body: { id } }))}
          >
            {name}
            <Text size="xs" c="dimmed">
              {id === account.id ? `${ROLE_NAMES[role]}, current` : ROLE_NAMES[role]}
            </Text>
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item
          leftSection={<TbLogout size={16} />}
          onClick={() =>
            void act(request("/session", { method: "DELETE" }).then(() => forgetDrafts()))}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
