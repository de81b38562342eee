import { TbFileUnknown } from "react-icons/tb";
import type { PartialView } from "../../../../interface/partials.ts";
import { HttpError } from "../../api.ts";
import { NotFound } from "../../parts/not_found.tsx";
import { Page } from "../../parts/page.tsx";
import { Failed, Waiting } from "../../parts/states.tsx";
import { BrandPage } from "./brand_page.tsx";
import { PartialPage } from "./partial_page.tsx";
import { BRAND, usePartial } from "./partial_queries.ts";

/** A brand that nobody has saved yet. */
const NO_BRAND: PartialView = {
  ...{ name: BRAND, revision: 0, publishedVersion: null, hasChanges: false, updatedAt: "" },
  ...{ source: "{}", publishedSource: null },
};

/** The editor of a partial or of the brand, once it is there. */
export default function PartialEditor({ name: encoded }: { name: string }) {
  const name = encoded === encodeURIComponent(BRAND) ? BRAND : encoded;
  const { data, error, refetch } = usePartial(name);
  const isMissing = error instanceof HttpError && error.code === "not_found";
  if (name === BRAND && (data !== undefined || isMissing)) {
    return <BrandPage view={data ?? NO_BRAND} />;
  }
  if (data !== undefined) return <PartialPage view={data} />;
  if (!isMissing) {
    return (
      <Page title={name === BRAND ? "Brand" : name} back="All partials">
        {error === null ? <Waiting /> : <Failed error={error} retry={() => void refetch()} />}
      </Page>
    );
  }
  return (
    <NotFound
      icon={TbFileUnknown}
      page={`No partial ${name}`}
      title="Partial not found"
      list="partials"
    />
  );
}
