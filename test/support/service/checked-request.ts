import type { ReceivedResponse } from "./contract-check.ts";

/** A response that was compared with the contract. */
export type CheckedResponse = ReceivedResponse;

/** Headers and body that are sent beside method and path. */
export interface RequestContent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, with whatever content type the headers say. */
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/**
 * Sends a request and fails the test if the contract does not have the response for this route and status.
 *
 * @throws Error that says how the response differs from the contract
 */
export async function send(
  api: string,
  method: string,
  path: string,
  sent: RequestContent = {},
): Promise<CheckedResponse> {
  const received = await fetch(`${api}${path}`, { ...sent, method, redirect: "manual" });
  const text = await received.text();
  const isJson = /[/+]json\b/.test(received.headers.get("content-type") ?? "");
  const body = text === "" ? undefined : isJson ? JSON.parse(text) : text;
  const response = { status: received.status, headers: received.headers, body };
  const { complaintAbout } = await (globalThis.contractCheck?.() ?? import("./contract-check.ts"));
  const complaint = method === "HEAD" ? undefined : complaintAbout(method, path, response);
  if (complaint !== undefined)
    throw new Error(`${method} ${path} responded with ${received.status} ${text}\n${complaint}`);
  return response;
}

/** @throws Error if the response has another status */
export function must(response: CheckedResponse, status: number): CheckedResponse {
  if (response.status === status) return response;
  throw new Error(`Expected ${status}, not ${response.status}: ${JSON.stringify(response.body)}`);
}

declare global {
  /** The check that the test files of a worker share (environment.js); undefined outside of the tests: bench/ sends requests too. */
  var contractCheck: undefined | (() => Promise<typeof import("./contract-check.ts")>);
}
