import { Autocomplete, ColorInput, TextInput } from "@mantine/core";
import { useFiles } from "../files/file_queries.ts";
import { brandKind, type BrandValue } from "./brand_values.ts";

/** Fonts that most mail clients have, and the names that PDFs know (`docs/pdf.md`). */
const FONTS = [
  "Arial, Helvetica, sans-serif",
  "Verdana, Geneva, sans-serif",
  "Georgia, Times, serif",
  "Noto Sans, Arial, sans-serif",
  "Noto Serif, Georgia, serif",
  "Courier New, monospace",
];

/** Edits a value of the brand, in the way that fits its name. */
export function BrandValueInput({ value: { name, value }, readOnly, error, onChange }: {
  value: BrandValue;
  readOnly: boolean;
  error: string | undefined;
  onChange: (value: string) => void;
}) {
  const kind = brandKind(name);
  const { data } = useFiles({ enabled: kind === "image" });
  const shared = { label: LABELS[kind], value, readOnly, error, onChange, flex: 1, miw: 180 };
  switch (kind) {
    case "colour":
      return <ColorInput {...shared} format="hex" eyeDropperButtonProps={EYE_DROPPER} />;
    case "font":
      return <Autocomplete {...shared} data={FONTS} />;
    case "image": {
      const images = data?.assets.filter(({ contentType }) => contentType.startsWith("image/"));
      return (
        <Autocomplete
          {...shared}
          placeholder="Name on the page Files"
          data={images?.map((image) => image.name) ?? []}
        />
      );
    }
  }
  return <TextInput {...shared} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
}

const LABELS = { colour: "Colour", font: "Font", image: "Image", text: "Text" };
const EYE_DROPPER = { "aria-label": "Pick a colour from the screen" };
