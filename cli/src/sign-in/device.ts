import { setTimeout as delay } from "node:timers/promises";
import { ApiError, NetworkError } from "../../../contract/api-error.ts";
import { UserError } from "../errors.ts";
import { count, printable } from "../text.ts";
import {
  type AuthorizationServer,
  type FormResponse,
  issuedToken,
  postForm,
  refused,
  tokenProposal,
} from "./authorization-server.ts";

/** Seconds to wait longer if the server asks for it, and between requests if it does not say (RFC 8628, sections 3.5 and 3.2). */
const slowDownSeconds = 5;

const grantType = "urn:ietf:params:oauth:grant-type:device_code";

/**
 * Logs in on a machine without a browser (RFC 8628): shows a code to type in a browser on another machine, and polls until it
 * is approved.
 *
 * @param project slug of the project that it is proposed for
 * @param show prints a line for the person
 * @throws UserError if the person denies the login or the code expires
 */
export async function logInWithDevice(
  server: AuthorizationServer,
  project: string | undefined,
  show: (line: string) => void,
): Promise<string> {
  const { body, error } = await postForm(server.deviceEndpoint, tokenProposal(server, project));
  if (error !== undefined) throw refused(error, body["error_description"]);
  show(`Open ${printable(String(body["verification_uri"]))} in a browser and type this code:`);
  show(`    ${printable(String(body["user_code"]))}`);
  const seconds = (name: string, otherwise: number) => (Number(body[name]) > 0 ? Number(body[name]) : otherwise);
  const lifetime = seconds("expires_in", 600);
  show(
    `Waiting until you approve it, for ${count(Math.ceil(lifetime / 60), "minute")} at most. Ctrl-C stops the login.`,
  );
  return await waitForToken(server, {
    deviceCode: String(body["device_code"]),
    interval: seconds("interval", slowDownSeconds),
    expiresAt: performance.now() + lifetime * 1_000,
  });
}

async function waitForToken(
  { tokenEndpoint }: AuthorizationServer,
  { deviceCode, interval: firstInterval, expiresAt }: { deviceCode: string; interval: number; expiresAt: number },
) {
  for (let interval = firstInterval; ; ) {
    const left = expiresAt - performance.now();
    await delay(Math.min(interval * 1_000, left));
    // Not by the clock again: a timer counts whole milliseconds and may end a part of one too early.
    if (interval * 1_000 >= left) throw expired();
    const response = await poll(tokenEndpoint, deviceCode);
    if ("afterSeconds" in response) interval = Math.max(interval + slowDownSeconds, response.afterSeconds);
    else if (response.error === "expired_token") throw expired();
    else if (response.error !== "authorization_pending") return issuedToken(response);
  }
}

/**
 * Asks once whether the code is approved. If nobody says so, because the request is throttled, a function fails or the
 * connection breaks, the next request must be later, as after `slow_down` (RFC 8628, section 3.5).
 *
 * @returns the response, or how many seconds the server wants to be left alone at least
 */
async function poll(tokenEndpoint: URL, deviceCode: string): Promise<FormResponse | { readonly afterSeconds: number }> {
  try {
    const response = await postForm(tokenEndpoint, { grant_type: grantType, device_code: deviceCode }, 1);
    return response.error === "slow_down" || response.status >= 500 ? { afterSeconds: 0 } : response;
  } catch (failure) {
    if (failure instanceof ApiError) return { afterSeconds: (failure.retryAfterMilliseconds ?? 0) / 1_000 };
    if (failure instanceof NetworkError && failure.isTransient) return { afterSeconds: 0 };
    throw failure;
  }
}

function expired(): UserError {
  return new UserError("Nobody approved the code within ten minutes; nothing was saved.", {
    code: "login_timed_out",
    next: "svc login --device",
  });
}
