import { isLoopback } from "../api-url.ts";
import { usageError } from "../errors.ts";

/**
 * The proxy that the environment names, or undefined for a direct connection. Reads https_proxy, HTTPS_PROXY, all_proxy and
 * ALL_PROXY, and no_proxy or NO_PROXY, as curl does. Does not read http_proxy: svc uses plain http only to this machine,
 * which it never reaches through a proxy.
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
