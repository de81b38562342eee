import type { TemplateKind } from "@posthaste/contracts";
import { Button, VisuallyHidden } from "@mantine/core";
import { TbFileUnknown } from "react-icons/tb";
import { Link } from "wouter";
import { HttpError } from "../../api.ts";
import { Page } from "../../parts/page.tsx";
import { Empty, Failed, Waiting } from "../../parts/states.tsx";
import { EditorPage } from "./editor_page.tsx";
import { KINDS } from "./template_kind.ts";
import { useTemplate } from "./template_queries.ts";

/** The editor of a template, once it is there. */
export default function TemplateEditor({ kind, id }: { kind: TemplateKind; id: number }) {
  const { noun } = KINDS[kind];
  const { data, error, refetch } = useTemplate(kind, id);
  if (data !== undefined) return <EditorPage view={data} />;
  if (error === null) {
    return (
      <>
        <VisuallyHidden component="h1">{`The ${noun} ${id}`}</VisuallyHidden>
        <Waiting />
      </>
    );
  }
  if (!(error instanceof HttpError) || error.code !== "not_found") {
    return (
      <Page title={`The ${noun} ${id}`}>
        <Failed error={error} retry={() => void refetch()} />
      </Page>
    );
  }
  return (
    <Page title={`No ${noun} ${id}`}>
      <Empty
        icon={TbFileUnknown}
        title="Template not found"
        action={<Button component={Link} href="/">Show all {noun}s</Button>}
      >
        It may have been archived, or it belongs to another account.
      </Empty>
    </Page>
  );
}
