import { isIPv6 } from "node:net";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Client } from "../entities/token.ts";

/** Sender of a request as the service stores it: the kind of client, and the network without the host. */
export function clientOf(event: APIGatewayProxyEventV2): Client {
  // A request may have none, whatever its type says.
  const userAgent: string | undefined = event.requestContext.http.userAgent;
  const client = userAgent?.startsWith("svc/") ? "svc" : userAgent?.startsWith("Mozilla/") ? "browser" : "other";
  return { client, network: networkOf(event.requestContext.http.sourceIp) };
}

/** The first 24 bits of an IPv4 address, the first 48 of an IPv6 address. @internal */
export function networkOf(address: string): string | null {
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.\d+$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return `${ipv4}.0/24`;
  if (!isIPv6(address)) return null;
  const zeros = 8 - address.split(":").filter(Boolean).length;
  const groups = address
    .replace("::", `:${"0:".repeat(zeros)}`)
    .split(":")
    .filter(Boolean);
  const first = groups.slice(0, 3).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(":")}::/48`;
}
