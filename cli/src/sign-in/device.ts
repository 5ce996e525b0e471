import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../errors.ts";
import { printable } from "../text.ts";
import {
  type AuthorizationServer,
  machineName,
  postForm,
  refused,
  requestedScope,
  tokenOf,
} from "./authorization-server.ts";

const grantType = "urn:ietf:params:oauth:grant-type:device_code";

/**
 * Logs in on a machine without a browser (RFC 8628): shows a code to type in a browser on another machine, and polls until it
 * is approved.
 *
 * @param show prints a line for the person
 * @throws UserError where the person denies the login or the code expires
 */
export async function logInWithDevice(server: AuthorizationServer, show: (line: string) => void): Promise<string> {
  const { body, error } = await postForm(server.deviceEndpoint, {
    scope: requestedScope,
    token_name: machineName(),
  });
  if (error !== undefined) throw refused(error, body["error_description"]);
  const deviceCode = String(body["device_code"]);
  show(`Open ${printable(String(body["verification_uri"]))} in a browser and type this code:`);
  show(`    ${printable(String(body["user_code"]))}`);
  return await waitForToken(server, deviceCode, Number(body["interval"] ?? 5));
}

async function waitForToken({ tokenEndpoint }: AuthorizationServer, deviceCode: string, firstInterval: number) {
  for (let interval = firstInterval; ; ) {
    await delay(interval * 1_000);
    const response = await postForm(tokenEndpoint, { grant_type: grantType, device_code: deviceCode });
    const { error } = response;
    if (error === "slow_down") interval += 5;
    else if (error === "expired_token") throw expired();
    else if (error !== "authorization_pending") return tokenOf(response);
  }
}

function expired(): UserError {
  return new UserError("Nobody approved the code within ten minutes; nothing was saved.", {
    code: "login_timed_out",
    next: "svc login --device",
  });
}
