import {
  type GivenLabels,
  type Issue,
  labelsOf,
  MAX_METADATA_BYTES,
  metadataBytes,
} from "@posthaste/contracts";

/** The labels of a send. */
export interface LabelledRequest extends GivenLabels {
  to: readonly GivenLabels[];
}

/** Finds messages whose metadata is too large, of their send and of their recipient together. */
export function findLabelFaults({ to, ...top }: LabelledRequest): Issue[] {
  const topBytes = metadataBytes(top.metadata ?? {});
  if (topBytes > MAX_METADATA_BYTES) return [{ path: "metadata", ...TOO_LARGE }];
  return to.flatMap((recipient, index): Issue[] => {
    const { metadata } = recipient;
    // The sum is enough for most: merging costs more.
    const isSmall = metadata === undefined ||
      topBytes + metadataBytes(metadata) <= MAX_METADATA_BYTES ||
      metadataBytes(labelsOf(top, recipient).metadata) <= MAX_METADATA_BYTES;
    return isSmall ? [] : [{ path: `to.${index}.metadata`, ...TOO_LARGE }];
  });
}

const TOO_LARGE: Pick<Issue, "code" | "message"> = {
  code: "too_long",
  message: `must not exceed ${MAX_METADATA_BYTES.toLocaleString("en")} bytes of JSON, ` +
    "of the send and the recipient together",
};
