import type { Agent, AgentOptions, request } from "node:http";
import { isLoopback } from "../api-url.ts";
import { usageError } from "../errors.ts";

/** Agent and request function that requests to one origin share. */
export interface Connections {
  readonly agent: Agent;
  readonly request: typeof request;
}

/** An agent for an origin, which connects through the proxy that the environment names. */
export async function connectionsTo(url: URL, options: AgentOptions): Promise<Connections> {
  const { Agent, request } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const proxy = proxyFor(url, process.env);
  const noProxy = process.env["no_proxy"] ?? process.env["NO_PROXY"];
  // An empty object, because Node's default may be process.env (NODE_USE_ENV_PROXY).
  const proxyEnv = proxy === undefined ? {} : { https_proxy: proxy.href, no_proxy: noProxy };
  return { agent: new Agent({ ...options, proxyEnv }), request };
}

/**
 * The proxy that the environment names, before NO_PROXY, which Node's agents read. Plain http goes only to this machine, which
 * is never reached through a proxy. Node ignores a proxy without `http://`, and one that is neither http nor https, and
 * connects directly: the first is completed here, the second is refused.
 *
 * @throws UserError for a proxy that is neither http nor https
 */
export function proxyFor(url: URL, environment: NodeJS.ProcessEnv): URL | undefined {
  if (url.protocol !== "https:" || isLoopback(url.hostname)) return undefined;
  const variable = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].find((name) => environment[name]?.trim());
  if (variable === undefined) return undefined;
  const text = environment[variable]?.trim() ?? "";
  const whole = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(whole) && /^https?:/i.test(whole)) return new URL(whole);
  throw usageError(`${variable} does not name an http or https proxy.`, { code: "invalid_proxy" });
}
