import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request } from "node:https";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { addressRefusal } from "../contract/api/address-refusal.ts";

/*
 * The part of the smoke test for a stage with a distribution before its API.
 */

/** How a server closes a connection without the client certificate that it demands: by an alert of TLS, or without a word. */
const refusals = /^(ECONNRESET|EPIPE|EPROTO|ERR_SSL_.*ALERT.*)$/;

/**
 * Requests the API's name of API Gateway itself, as somebody does who goes around CloudFront and AWS WAF.
 *
 * @param origin API Gateway's own host name, the output ClosedDomainTarget, with a port or without
 * @param tls for tests, whose servers have other certificates
 * @returns what is wrong; undefined: it refuses who has no client certificate, and the API's name leads to CloudFront
 */
export async function goAround(api: string, origin: string, tls: RequestOptions = {}): Promise<string | undefined> {
  const { hostname } = new URL(api);
  const { hostname: host, port } = new URL(`https://${origin}`);
  const options = { host, port, servername: hostname, headers: { host: hostname }, path: "/health", ...tls };
  try {
    const sent = request({ ...options, signal: AbortSignal.timeout(15_000) }).end();
    const [{ statusCode = 0 }] = (await once(sent, "response")) as [IncomingMessage];
    sent.destroy();
    if (statusCode !== 403)
      return `${origin} responded with ${statusCode} to a request without CloudFront's certificate`;
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    if (!refusals.test(code)) return `${origin} cannot be reached: ${code || message}`;
  }
  const { headers } = await fetch(`${api}/health`, { signal: AbortSignal.timeout(15_000) });
  return /cloudfront/i.test(headers.get("via") ?? "") ? undefined : `${hostname} does not lead to CloudFront`;
}

/**
 * Sends 100 requests again and again until AWS WAF refuses this machine's address, which it does some seconds late and for about a
 * minute. API Gateway's own refusals are not counted.
 *
 * @returns what is wrong; undefined: it was refused, as the contract says
 */
export async function floodAddress(
  api: string,
  { attempts = 20, milliseconds = 5_000 } = {},
): Promise<string | undefined> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const sent = Array.from({ length: 100 }, () => fetch(`${api}/health`, { signal: AbortSignal.timeout(15_000) }));
    for (const response of await Promise.all(sent)) {
      const text = await response.text();
      if (text.includes('"code"')) return wrongRefusal(response, JSON.parse(text));
    }
    await delay(milliseconds);
  }
  return `${attempts * 100} requests within ${(attempts * milliseconds) / 1_000} seconds were not refused by AWS WAF`;
}

function wrongRefusal({ status, headers }: Response, body: unknown): string | undefined {
  const expected = { ...addressRefusal.headers, "content-type": "application/json" };
  const wrong = Object.entries(expected).find(([name, value]) => headers.get(name) !== value)?.[0];
  if (wrong !== undefined) return `the refusal has ${wrong}: ${headers.get(wrong)}`;
  const isSame = status === addressRefusal.status && isDeepStrictEqual(body, addressRefusal.body);
  return isSame ? undefined : `the refusal is ${status} with ${JSON.stringify(body)}`;
}
