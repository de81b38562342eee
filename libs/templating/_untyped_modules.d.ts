declare module "mjml" {
  export interface MjmlIssue {
    line: number;
    message: string;
    tagName: string;
  }
  export default function mjml2html(
    source: string,
    options: Record<string, unknown>,
  ): Promise<{ html: string; errors: MjmlIssue[] }>;
}

declare module "html-to-text" {
  export interface DomNode {
    type: string;
    name?: string;
    data?: string;
    attribs?: Record<string, string>;
    children?: DomNode[];
  }
  export interface BlockTextBuilder {
    addInline(text: string): void;
    openBlock(options?: { leadingLineBreaks?: number }): void;
    closeBlock(options?: { trailingLineBreaks?: number }): void;
  }
  export type Formatter = (
    node: DomNode,
    walk: (children: DomNode[] | undefined, builder: BlockTextBuilder) => void,
    builder: BlockTextBuilder,
  ) => void;
  export function convert(html: string, options: Record<string, unknown>): string;
}
