import type { IncomingHttpHeaders } from "node:http";

/** The origins, beside none, whose requests a local server takes. */
export interface OriginRule {
  /** Pages of this machine whose server listens on one of these ports. */
  readonly ports: readonly number[];
  /** Whole origins, such as `http://localhost:5173`. */
  readonly origins?: readonly string[];
  /** Whether a sandboxed page, whose origin is `null`, may send this request. */
  readonly sandboxed?: boolean;
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

function isAllowed(origin: string, { ports, origins = [], sandboxed = false }: OriginRule): boolean {
  if (origin === "null") return sandboxed;
  if (origins.includes(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, port } = new URL(origin);
  return protocol === "http:" && isThisMachine(hostNameOf(origin)) && ports.includes(Number(port || 80));
}

function hostNameOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : "";
}

/** `*.localhost` is this machine too (RFC 6761, section 6.3). */
function isThisMachine(hostName: string): boolean {
  return ["127.0.0.1", "[::1]", "localhost"].includes(hostName) || hostName.endsWith(".localhost");
}
