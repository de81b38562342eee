import type { TemplateKind } from "@posthaste/contracts";
import { Center } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { TemplateRow, ThumbnailView } from "../../../../interface/templates.ts";
import { request } from "../../api.ts";
import { limitedCalls } from "../../parts/limited_calls.ts";
import { useCarriedImages, withCarriedImages } from "../files/file_queries.ts";
import { thumbnailHtml } from "./framed_html.ts";
import { inertPage } from "./inert_page.ts";
import { TEMPLATE_ICONS } from "./template_icons.ts";
import { KINDS } from "./template_kind.ts";

/** In CSS pixels. */
const WIDTH = 84;
const HEIGHT = 60;

/** The widths of the pages that are shown so small: of a usual mail, and of A4. */
const PAGE_WIDTHS: Readonly<Record<TemplateKind, number>> = { email: 640, pdf: 794 };

/** At most so many are rendered at a time, however many rows there are. */
const limited = limitedCalls(2);

/**
 * What a template uses may change without it: partials, layouts, the brand, files. A picture that is older is asked
 * for again when its row is shown anew; one that stays on the screen stays as it is.
 */
const FRESH_MS = 60_000;

/**
 * A template's draft, small. It is rendered once its row comes into view, and again after a change. Its frame has no
 * scripts, no origin and no remote images, and is decoration: the name is beside it.
 */
export function TemplateThumbnail({ kind, row: { id, updatedAt } }: {
  kind: TemplateKind;
  row: Pick<TemplateRow, "id" | "updatedAt">;
}) {
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const [wasSeen, setSeen] = useState(false);
  useEffect(() => {
    if (inViewport) setSeen(true);
  }, [inViewport]);
  const { data } = useQuery({
    queryKey: ["thumbnails", kind, id, updatedAt],
    queryFn: ({ signal }) =>
      limited(
        () => request<ThumbnailView>(`${KINDS[kind].api}/${id}/thumbnail`, { signal }),
        signal,
      ),
    enabled: wasSeen,
    retry: false,
    staleTime: FRESH_MS,
    refetchOnWindowFocus: false,
    gcTime: 30 * 60_000,
  });
  const html = data?.html ?? null;
  const Sign = TEMPLATE_ICONS[kind];
  return (
    <Center ref={ref} w={WIDTH} h={HEIGHT} c="dimmed" style={PLACE} aria-hidden inert>
      {html === null ? <Sign size={22} strokeWidth={1.4} /> : <Picture {...{ kind, html }} />}
    </Center>
  );
}

function Picture({ kind, html }: { kind: TemplateKind; html: string }) {
  const images = useCarriedImages(html);
  const width = PAGE_WIDTHS[kind];
  const scale = WIDTH / width;
  return (
    <iframe
      title="Thumbnail"
      tabIndex={-1}
      sandbox=""
      referrerPolicy="no-referrer"
      srcDoc={thumbnailHtml(inertPage(withCarriedImages(html, images)), kind)}
      style={{ ...FRAME, width, height: HEIGHT / scale, transform: `scale(${scale})` }}
    />
  );
}

const PLACE = {
  position: "relative",
  flex: "none",
  overflow: "hidden",
  borderRadius: "var(--mantine-radius-sm)",
  border: "1px solid var(--mantine-color-default-border)",
  background: "var(--mantine-color-default-hover)",
} as const;

const FRAME = {
  position: "absolute",
  top: 0,
  left: 0,
  border: 0,
  background: "#ffffff",
  transformOrigin: "0 0",
} as const;
