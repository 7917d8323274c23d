/** Who sent a request. */
export interface Principal {
  /** The principal as services get it: `user:<e-mail>` or `key:<name>`. */
  principal: string;
  /** The user's e-mail address, for a bearer token. */
  email?: string;
}

const NOT_VISIBLE_ASCII = /[^\x21-\x7e]|%/gu;

/** `user:<e-mail>` or `key:<name>`, percent-encoded where a header cannot hold it. */
export function toPrincipal(kind: 'user' | 'key', name: string): string {
  return `${kind}:${name.replace(NOT_VISIBLE_ASCII, encodeURIComponent)}`;
}
