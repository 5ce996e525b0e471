import type { IncomingHttpHeaders } from "node:http";

/** The dashboard's host on this machine. Browsers take every name under localhost for this machine (RFC 6761, section 6.3). */
export const dashboardHostname = "dashboard.localhost";

/** The origins, beside none, whose requests a local server takes. */
export interface OriginRule {
  /** Pages of this machine, or of the dashboard, whose server listens on one of these ports; a published game's are strangers. */
  readonly ports: readonly number[];
  /** Whole origins, such as `http://localhost:5173`. */
  readonly origins?: readonly string[];
  /** Whether a published page may send this request: a sandboxed one (`null`), or one of a game's own host at these ports. */
  readonly published?: boolean;
}

/**
 * Why a local server refuses a request, in one sentence; undefined: it takes it. A page of another site must not reach
 * the servers of this machine, neither as itself (`Origin`) nor under a name of its own that leads here (`Host`, DNS
 * rebinding). A request without `Origin` comes from a program, or reads what the page cannot see.
 */
export function foreignness({ host, origin }: IncomingHttpHeaders, rule: OriginRule): string | undefined {
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

/** Every other name under localhost is a game's host. */
const ownNames = ["127.0.0.1", "[::1]", "localhost", dashboardHostname];

/** `*.localhost` is this machine too (RFC 6761, section 6.3). */
function isThisMachine(hostName: string): boolean {
  return ownNames.includes(hostName) || hostName.endsWith(".localhost");
}
