import { isLoopback } from "../api-address.ts";
import { usageError } from "../errors.ts";

/**
 * The proxy that the environment asks for, or undefined for a direct connection. Reads https_proxy, HTTPS_PROXY,
 * all_proxy and ALL_PROXY, and no_proxy or NO_PROXY, as curl does. This machine is never reached through a proxy, so
 * http_proxy, which is for plain http alone, has nothing to do.
 *
 * @throws UserError for a proxy that is neither http nor https
 */
export function proxyFor(url: URL, environment: NodeJS.ProcessEnv): URL | undefined {
  if (url.protocol !== "https:" || isLoopback(url.hostname)) return undefined;
  const variable = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].find((name) => environment[name]?.trim());
  if (variable === undefined) return undefined;
  if (isExcluded(url, environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")) return undefined;
  const text = environment[variable]?.trim() ?? "";
  const proxy = tryParse(text);
  if (proxy?.protocol === "http:" || proxy?.protocol === "https:") return proxy;
  throw usageError(`${variable} does not name an http or https proxy.`, { code: "invalid_proxy" });
}

function tryParse(text: string): URL | undefined {
  try {
    return new URL(text.includes("://") ? text : `http://${text}`);
  } catch {
    return undefined;
  }
}

function isExcluded(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const port = url.port === "" ? "443" : url.port;
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === "*") return true;
      const [, name = entry, onlyPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      const isIpv6 = entry.includes("::") || entry.startsWith("[");
      const pattern = (isIpv6 ? entry.replace(/^\[|\]$/g, "") : name).toLowerCase().replace(/^\*?\./, "");
      if (!isIpv6 && onlyPort !== undefined && onlyPort !== port) return false;
      return host === pattern || host.endsWith(`.${pattern}`);
    });
}
