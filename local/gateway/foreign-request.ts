import type { IncomingHttpHeaders } from "node:http";

/** The dashboard's host on this machine. Browsers take every name under localhost for this machine (RFC 6761, section 6.3). */
export const dashboardHostname = "dashboard.localhost";

/** The values of `Origin` with which a local server accepts a request. It always accepts one without `Origin`. */
export interface OriginRule {
  /** Ports of servers on this machine whose pages may send requests, except pages of published games. */
  readonly ports: readonly number[];
  /** Whole origins, such as `http://localhost:5173`. */
  readonly origins?: readonly string[];
  /** Whether a published page may send this request: a sandboxed one (`null`), or one of a game host at these ports. */
  readonly published?: boolean;
}

/**
 * Why a local server refuses a request, in one sentence; undefined: it accepts it. A page of another site must not use the
 * servers of this machine, neither from its own origin (`Origin`) nor through a host name that resolves to this machine
 * (`Host`, DNS rebinding). A request without `Origin` is from a program, or its page cannot read the response
 * (docs/decisions/0054-the-local-service-is-the-same-edge.md#what-web-pages-may-do-to-the-local-service).
 */
export function foreignRequestReason({ host, origin }: IncomingHttpHeaders, rule: OriginRule): string | undefined {
  if (!isThisMachine(hostNameOf(`http://${host}`)))
    return "The Host header names another host than this machine. Use 127.0.0.1 or localhost.";
  if (origin === undefined || isAllowed(origin, rule)) return undefined;
  const advice = rule.origins === undefined ? "" : " SVC_WEB_ORIGINS can name more origins.";
  return `The Origin header names a page that the local service does not serve.${advice}`;
}

function isAllowed(origin: string, { ports, origins = [], published = false }: OriginRule): boolean {
  if (origin === "null") return published;
  if (origins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, port } = new URL(origin);
  const hostName = hostNameOf(origin);
  const isKnown = ownNames.includes(hostName) || (published && isThisMachine(hostName));
  return protocol === "http:" && isKnown && ports.includes(Number(port || 80));
}

function hostNameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/** Every other name under localhost is a game host. */
const ownNames = ["127.0.0.1", "[::1]", "localhost", dashboardHostname];

/** `*.localhost` is this machine too (RFC 6761, section 6.3). */
function isThisMachine(hostName: string): boolean {
  return ownNames.includes(hostName) || hostName.endsWith(".localhost");
}
