import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import * as http from "node:http";
import * as https from "node:https";
import { limits } from "../../../contract/api/limits.ts";
import * as environment from "../../../functions/environment.ts";
import { isLoopback, isPublicAddress } from "./public-address.ts";
import type { AttemptResult, DeliveryError } from "./webhook.ts";

/** Finds the addresses of a host. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true });

interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a POST to a URL that somebody has chosen. Only to public addresses: the host name is resolved once, each of its addresses is
 * checked, and the connection uses these, so that another response of the name's server changes nothing. A redirect is a response as
 * any other; the response's body is not read. On the local service `http://localhost` is this machine, if a setting says so.
 *
 * @returns what it led to: nothing that the receiver sends is in it but the status
 */
export async function sendWebhook(
  { url, headers, body }: WebhookRequest,
  resolve: Resolve = resolveBySystem,
): Promise<AttemptResult> {
  const { protocol, hostname } = new URL(url);
  const isLocal = protocol === "http:" && hostname === "localhost" && environment.allowsLocalWebhooks();
  if (protocol !== "https:" && !isLocal) return { error: "address_not_public" };
  const signal = AbortSignal.timeout(limits.deliveryTimeoutSeconds * 1_000);
  const addresses = await Promise.race([resolve(hostname), abortionOf(signal)]).catch(() => []);
  if (addresses.length === 0) return { error: signal.aborted ? "timed_out" : "name_not_resolved" };
  const isAllowed = isLocal ? isLoopback : isPublicAddress;
  if (!addresses.every(({ address }) => isAllowed(address))) return { error: "address_not_public" };
  const request = { url, headers: { ...headers, "content-length": String(Buffer.byteLength(body)) }, body };
  return await post(request, { addresses, isLocal, signal });
}

async function abortionOf(signal: AbortSignal): Promise<never> {
  return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
}

interface Connection {
  /** The only addresses to which it connects. */
  readonly addresses: readonly LookupAddress[];
  readonly isLocal: boolean;
  readonly signal: AbortSignal;
}

function post(
  { url, headers, body }: WebhookRequest,
  { addresses, isLocal, signal }: Connection,
): Promise<AttemptResult> {
  return new Promise((done) => {
    const request = (isLocal ? http : https).request(url, {
      method: "POST",
      headers,
      signal,
      // A kept connection could lead to an address of before.
      agent: false,
      lookup: (_hostname, { all }, callback) => {
        const [first] = addresses;
        if (all || first === undefined) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
    });
    request.on("response", (response) => {
      done({ responseStatus: response.statusCode ?? 0 });
      response.destroy();
    });
    request.on("error", (error: NodeJS.ErrnoException) => done({ error: errorOf(error, signal) }));
    request.end(body);
  });
}

/** What an error means, and none of its words: they have the host's name. */
function errorOf({ code = "" }: NodeJS.ErrnoException, signal: AbortSignal): DeliveryError {
  if (signal.aborted) return "timed_out";
  return /CERT|SIGNED|ALTNAME|UNABLE_TO/.test(code) ? "certificate_invalid" : "connection_failed";
}
