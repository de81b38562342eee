import type { InvoiceProfile, PageOptions } from "@posthaste/contracts";
import {
  Fieldset,
  Input,
  SegmentedControl,
  Select,
  SimpleGrid,
  Switch,
  TagsInput,
  TextInput,
} from "@mantine/core";
import type { TemplateSource } from "../../../../interface/templates.ts";
import { capitalize } from "../../parts/capitalize.ts";
import { LocaleInput } from "./locale_input.tsx";

type PageSize = Extract<NonNullable<TemplateSource["page"]>["format"], string>;
/** A size that is missing here is an error of its type. */
const PAGE_SIZES = Object.keys(
  {
    ...{ A3: true, A4: true, A5: true },
    ...{ Letter: true, Legal: true, Tabloid: true },
  } satisfies Record<PageSize, true>,
) as PageSize[];
const SIDES = ["top", "right", "bottom", "left"] as const;
const PLACES = ["left", "center", "right"] as const;
const WRONG_LENGTH = "Enter a length such as 18mm, 1.5cm or 0.5in";

interface InvoiceChoice {
  value: string;
  label: string;
  profile?: InvoiceProfile;
}

const INVOICE_LABELS: Record<InvoiceProfile, string> = {
  minimum: "MINIMUM",
  basic_wl: "BASIC WL",
  basic: "BASIC",
  en16931: "EN 16931",
  extended: "EXTENDED",
};

const INVOICE_CHOICES: InvoiceChoice[] = [
  { value: "none", label: "None" },
  ...(Object.keys(INVOICE_LABELS) as InvoiceProfile[]).map((profile) => ({
    value: profile,
    label: INVOICE_LABELS[profile],
    profile,
  })),
];

/** How a PDF template is printed. */
export function PageSetup({ page, locale, readOnly, onChange }: {
  page: PageOptions;
  locale: string;
  readOnly: boolean;
  onChange: (part: Partial<TemplateSource>) => void;
}) {
  const change = (part: Partial<PageOptions>) => onChange({ page: { ...page, ...part } });
  const { format, orientation, margin, background, images, missing } = page;
  return (
    <fieldset disabled={readOnly} style={PLAIN}>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <Select
          label="Paper"
          data={[...PAGE_SIZES, { value: "custom", label: "Custom size" }]}
          value={typeof format === "string" ? format : "custom"}
          allowDeselect={false}
          disabled={readOnly}
          onChange={(value) => change({ format: readFormat(value ?? "A4") })}
        />
        <Input.Wrapper label="Orientation" labelElement="div">
          <SegmentedControl
            fullWidth
            aria-label="Orientation"
            value={orientation}
            disabled={readOnly}
            onChange={(value) => change({ orientation: value as PageOptions["orientation"] })}
            data={[
              { value: "portrait", label: "Portrait" },
              { value: "landscape", label: "Landscape" },
            ]}
          />
        </Input.Wrapper>
        {typeof format !== "string" && (["width", "height"] as const).map((side) => (
          <Length
            key={side}
            label={side === "width" ? "Width" : "Height"}
            value={format[side]}
            onChange={(length) => change({ format: { ...format, [side]: length } })}
          />
        ))}
      </SimpleGrid>
      <Fieldset legend="Margins" p="sm" m={0}>
        <SimpleGrid cols={{ base: 2, xs: 4 }} spacing="sm">
          {SIDES.map((side) => (
            <Length
              key={side}
              label={capitalize(side)}
              value={margin[side]}
              onChange={(length) => change({ margin: { ...margin, [side]: length } })}
            />
          ))}
        </SimpleGrid>
      </Fieldset>
      {(["header", "footer"] as const).map((band) => (
        <Fieldset key={band} legend={capitalize(band)} p="sm" m={0}>
          <SimpleGrid minColWidth={170} spacing="sm">
            {PLACES.map((where) => (
              <TextInput
                key={where}
                label={capitalize(where)}
                aria-label={`${capitalize(band)}, ${where}`}
                placeholder={band === "footer" && where === "right" ? "{page} / {pages}" : ""}
                maxLength={200}
                value={page[band]?.[where] ?? ""}
                onChange={({ currentTarget: { value } }) =>
                  change({ [band]: withText(page[band], { where, value }) })}
              />
            ))}
          </SimpleGrid>
          <Input.Description mt={6}>
            Plain text in the margin. {"{page}"} is the number of the page, {"{pages}"}{" "}
            how many there are.
          </Input.Description>
        </Fieldset>
      ))}
      <Switch
        label="Print backgrounds"
        description="Colours and pictures behind the text."
        checked={background}
        onChange={({ currentTarget: { checked } }) => change({ background: checked })}
      />
      <Switch
        label="Fetch remote images"
        description="Images with http or https URLs are fetched before printing. Embedded images (data:) always work."
        checked={images === "remote"}
        onChange={({ currentTarget: { checked } }) =>
          change({ images: checked ? "remote" : "none" })}
      />
      <Select
        label="If a resource cannot be loaded"
        data={[
          { value: "fail", label: "The message fails with the reason" },
          { value: "leave_out", label: "The resource is left out and the message is sent" },
        ]}
        value={missing}
        allowDeselect={false}
        disabled={readOnly}
        onChange={(value) => change({ missing: (value ?? "fail") as PageOptions["missing"] })}
      />
      <Select
        label="If no font has a character"
        data={[
          { value: "fail", label: "The message fails and names the character" },
          {
            value: "mark",
            label: "The PDF shows an empty box, and the sent message has a warning",
          },
          { value: "ignore", label: "The PDF shows an empty box and the message is sent" },
        ]}
        value={page.missingGlyphs ?? "ignore"}
        allowDeselect={false}
        disabled={readOnly}
        onChange={(value) =>
          change({ missingGlyphs: (value ?? "ignore") as PageOptions["missingGlyphs"] })}
      />
      <Switch
        label="Accessible PDF"
        description="Marks headings, tables, lists and alternative texts for screen readers. About twice the size."
        checked={page.tagged === true}
        onChange={({ currentTarget: { checked } }) =>
          change({ tagged: checked || undefined, outline: checked && page.outline || undefined })}
      />
      <Switch
        label="Outline"
        description="Lists the headings beside the pages. Needs an accessible PDF."
        checked={page.outline === true}
        disabled={readOnly || page.tagged !== true}
        onChange={({ currentTarget: { checked } }) => change({ outline: checked || undefined })}
      />
      <Switch
        label="PDF/A-3b"
        description="For archives, and for invoices with XML. Every character needs a glyph of a font."
        checked={page.conformance !== undefined}
        onChange={({ currentTarget: { checked } }) =>
          change(
            checked ? { conformance: "pdf/a-3b" } : { conformance: undefined, invoice: undefined },
          )}
      />
      <TagsInput
        label="Appended PDFs"
        description="Names of stored PDFs whose pages follow, such as terms. Press Enter after each. Not with PDF/A-3b."
        maxTags={5}
        acceptValueOnBlur
        splitChars={[",", " ", ";"]}
        value={page.append ?? []}
        disabled={readOnly}
        error={page.conformance !== undefined && page.append?.length
          ? "Appended pages may break the rules of PDF/A"
          : undefined}
        onChange={(names) => change({ append: names.length === 0 ? undefined : names })}
      />
      <TextInput
        label="Variable with the password"
        description="Its value opens the PDF, which is encrypted. Leave it empty for no password. Not with PDF/A-3b."
        placeholder="customer.number"
        maxLength={200}
        value={page.passwordVariable ?? ""}
        error={passwordFault(page)}
        onChange={({ currentTarget: { value } }) =>
          change({ passwordVariable: value.trim() || undefined })}
      />
      <Select
        label="Invoice XML (Factur-X, ZUGFeRD)"
        description='Attaches the XML of the tab "Invoice XML". Mark the total of the page with data-invoice-total.'
        data={INVOICE_CHOICES}
        value={page.invoice ?? "none"}
        allowDeselect={false}
        disabled={readOnly || page.conformance === undefined}
        onChange={(value) =>
          change({ invoice: INVOICE_CHOICES.find((choice) => choice.value === value)?.profile })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput
          label="Author"
          maxLength={200}
          value={page.author ?? ""}
          onChange={({ currentTarget: { value } }) => change({ author: value || undefined })}
        />
        <TextInput
          label="Language of the PDF"
          placeholder="As the HTML says"
          maxLength={35}
          value={page.language ?? ""}
          error={isLanguage(page.language) ? undefined : "Enter a language tag such as en or de-AT"}
          onChange={({ currentTarget: { value } }) => change({ language: value || undefined })}
        />
      </SimpleGrid>
      <LocaleInput
        value={locale}
        readOnly={readOnly}
        onChange={(value) => onChange({ locale: value })}
      />
    </fieldset>
  );
}

function Length({ label, value, onChange }: {
  label: string;
  value: string;
  onChange: (length: string) => void;
}) {
  return (
    <TextInput
      label={label}
      value={value}
      error={isLength(value) ? undefined : WRONG_LENGTH}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

type Band = NonNullable<PageOptions["header"]>;

/** An empty band becomes null. */
function withText(
  band: Band | undefined,
  { where, value }: { where: keyof Band; value: string },
): Band | undefined {
  const { [where]: _, ...rest } = band ?? {};
  const changed = value === "" ? rest : { ...rest, [where]: value };
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function isLanguage(tag: string | undefined): boolean {
  return tag === undefined || /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/i.test(tag);
}

function passwordFault({ passwordVariable: name, conformance }: PageOptions): string | undefined {
  if (name === undefined) return undefined;
  if (conformance !== undefined) return "PDF/A forbids passwords";
  const isName = /^[a-z_]\w*(?:\.[a-z_]\w*)*$/i.test(name);
  return isName ? undefined : "Enter the name of a variable such as password or customer.number";
}

const PLAIN = {
  display: "grid",
  gap: "var(--mantine-spacing-md)",
  border: 0,
  margin: 0,
  padding: 0,
  minWidth: 0,
};

/** Returns the chosen paper; "custom" returns a size to edit. */
function readFormat(chosen: string): PageOptions["format"] {
  const name = PAGE_SIZES.find((size) => size === chosen);
  return name ?? { width: "148mm", height: "105mm" };
}

/** Returns whether a text is a length that the printer accepts. */
function isLength(text: string): boolean {
  return /^\d+(?:\.\d+)?(?:mm|cm|in|px|pt)$/.test(text);
}
