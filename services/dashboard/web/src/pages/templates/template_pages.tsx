import type { TemplateKind } from "@posthaste/contracts";
import { Button } from "@mantine/core";
import { TbFileUnknown } from "react-icons/tb";
import { lazy, Suspense } from "react";
import { Link, Route, Switch } from "wouter";
import { Page } from "../../parts/page.tsx";
import { Empty, Waiting } from "../../parts/states.tsx";
import { TemplateList } from "./template_list.tsx";
import { KINDS } from "./template_kind.ts";

const TemplateEditor = lazy(() => import("./template_editor.tsx"));

/** The list of templates of a kind, and the editor of each. */
export function TemplatePages({ kind }: { kind: TemplateKind }) {
  const { noun, path } = KINDS[kind];
  return (
    <Switch>
      <Route path="/">
        <TemplateList kind={kind} />
      </Route>
      <Route path="/:id">
        {({ id }) =>
          /^\d+$/.test(id)
            ? (
              <Suspense fallback={<Waiting />}>
                <TemplateEditor key={id} kind={kind} id={Number(id)} />
              </Suspense>
            )
            : (
              <Page title={`No ${noun}`}>
                <Empty
                  icon={TbFileUnknown}
                  title="There is no such page"
                  action={<Button component={Link} href={`~${path}`}>Show all</Button>}
                >
                  The number at the end of the address is the id of a template.
                </Empty>
              </Page>
            )}
      </Route>
    </Switch>
  );
}
