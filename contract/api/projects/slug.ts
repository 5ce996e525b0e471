/*
 * The form of a slug, for the API, the command line and the dashboard.
 */

/**
 * Slugs that no project can have. In host names (RFC 2142's mailbox names among them) or in URLs they could be taken
 * for the service itself, or for a missing value. `constructor` is a member of every object: DynamoDB's document client
 * refuses a map with that key, and so the sweep's state, which counts attempts by slug.
 */
const reservedSlugs = new Set(
  `
  abuse account accounts admin administrator api app apps assets auth autoconfig autodiscover billing blog
  broadcasthost callback cdn ceo cli constructor contact copyright dashboard deploy dev developer developers dmca dns docs
  download downloads edge email example false faq feedback files forum ftp game games git github gitlab hacked
  health help home hostmaster http https identity imap info internal invalid ipv4 ipv6 isatap jobs legal local
  localdomain localhost login logout logs mail mailer-daemon marketplace me media metrics mta-sts new news
  no-reply nobody none noreply ns1 ns2 null oauth official openapi openid owner password payment payments play policy
  pop pop3 postmaster press preview previews privacy production profile projects public publish registry releases
  report reports root sales security settings share signin signout signup smtp ssh ssl ssladmin ssladministrator
  sslwebmaster sso staff staging static stats status store support svc sysadmin system team terms test tests tls
  token tokens true trust undefined unknown update updates upload uploads usenet user users uucp verify web
  webmail webmaster websocket well-known wpad www www1 www2
  `.match(/\S+/g),
);

/**
 * The slug's length and letters. `--` is refused: it begins the names of internationalised domains (`xn--`, RFC 5891) and
 * separates a preview's name from its project's.
 */
export const slugPattern = /^(?!.*--)[a-z0-9](?:[a-z0-9-]{1,38})[a-z0-9]$/;

export function isReservedSlug(slug: string): boolean {
  return reservedSlugs.has(slug);
}

/** The letters and digits of a name as a slug has them, of accented letters the letters alone; too short if the name has too few. */
export function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, 40)
    .replace(/-$/, "");
}
