/** Site for which a host name below the games domain stands. */
export type Site =
  | { readonly kind: "game"; readonly slug: string }
  /** An open release for its developers, which 20 digits name. */
  | { readonly kind: "preview"; readonly slug: string; readonly digits: string }
  /** Below the games domain, and no name that a project can have. */
  | { readonly kind: "none" };

const slug = /^[a-z0-9][a-z0-9-]{1,38}[a-z0-9]$/;

/**
 * The site that a request's Host names; undefined if it is not below the games domain, as the API's own host is. Ports do
 * not count, nor upper case, nor a dot at the end (RFC 9110, section 4.2.3; RFC 1034, section 3.1).
 */
export function siteOf(host: string, gamesDomain: string): Site | undefined {
  const name = hostname(host);
  const suffix = `.${hostname(gamesDomain)}`;
  if (!name.endsWith(suffix)) return undefined;
  const label = name.slice(0, -suffix.length);
  const separator = label.indexOf("--");
  if (separator === -1) return slug.test(label) ? { kind: "game", slug: label } : { kind: "none" };
  const game = label.slice(0, separator);
  const digits = label.slice(separator + 2);
  const isPreview = slug.test(game) && /^[0-9a-f]{20}$/.test(digits);
  return isPreview ? { kind: "preview", slug: game, digits } : { kind: "none" };
}

function hostname(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, "").replace(/\.$/, "");
}
