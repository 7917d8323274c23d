/** All that Markdown becomes. No text of it can name another element or attribute. */
export type ElementName =
  | 'a'
  | 'blockquote'
  | 'br'
  | 'code'
  | 'del'
  | 'div'
  | 'em'
  | 'h2'
  | 'h3'
  | 'h4'
  | 'h5'
  | 'h6'
  | 'hr'
  | 'img'
  | 'input'
  | 'kbd'
  | 'label'
  | 'li'
  | 'ol'
  | 'p'
  | 'span'
  | 'strong'
  | 'sub'
  | 'sup'
  | 'table'
  | 'tbody'
  | 'td'
  | 'th'
  | 'thead'
  | 'tr'
  | 'ul';

export interface Attributes {
  id?: string;
  class?: string;
  href?: string;
  src?: string;
  alt?: string;
  rel?: string;
  role?: 'group';
  'aria-label'?: string;
  tabIndex?: 0;
  start?: number;
  scope?: 'col';
  type?: 'checkbox';
  checked?: boolean;
  disabled?: true;
}

export interface Element {
  kind: 'element';
  name: ElementName;
  attributes: Attributes;
  children: Content[];
}

export interface CodeBlock {
  kind: 'code';
  /** As written behind the fence; empty for none. */
  language: string;
  text: string;
}

/** Source that is shown as it is, because it takes too long to parse. */
interface PlainText {
  kind: 'plain';
  text: string;
}

/** Texts are already safe to show. */
export type Content = string | Element | CodeBlock | PlainText;

export function element(name: ElementName, attributes: Attributes, children: Content[] = []): Element {
  return { kind: 'element', name, attributes, children };
}
