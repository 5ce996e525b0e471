import { isIPv6 } from "node:net";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Client } from "../domain/entities.ts";

/** What the service stores about the sender of a request: the kind of client, and the network without the host. */
export function clientOf({ requestContext: { http } }: APIGatewayProxyEventV2): Client {
  const userAgent = http.userAgent ?? "";
  const client = userAgent.startsWith("svc/") ? "svc" : userAgent.startsWith("Mozilla/") ? "browser" : "other";
  return { client, network: networkOf(http.sourceIp ?? "") };
}

/** The first 24 bits of an IPv4 address, the first 48 of an IPv6 address. @internal */
export function networkOf(address: string): string | null {
  const ipv4 = /^(?:::ffff:)?(\d+\.\d+\.\d+)\.\d+$/i.exec(address)?.[1];
  if (ipv4 !== undefined) return `${ipv4}.0/24`;
  if (!isIPv6(address)) return null;
  const [head = [], tail = []] = address.split("::").map((part) => part.split(":").filter(Boolean));
  const zeros = new Array(Math.max(0, 8 - head.length - tail.length)).fill("0");
  const groups = [...head, ...zeros, ...tail].slice(0, 3).map((group) => Number.parseInt(group, 16).toString(16));
  return `${groups.join(":")}::/48`;
}
