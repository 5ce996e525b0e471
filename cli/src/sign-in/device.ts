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
 * Logs in on a machine without a browser: shows a code to type in a browser elsewhere, and asks until it is approved
 * (RFC 8628).
 *
 * @param tell shows a line to the person
 * @throws UserError where the person denies or the code expires
 */
export async function logInWithDevice(server: AuthorizationServer, tell: (line: string) => void): Promise<string> {
  const { body, error } = await postForm(server.deviceEndpoint, {
    scope: requestedScope,
    token_name: machineName(),
  });
  if (error !== undefined) throw refused(error, body["error_description"]);
  const deviceCode = String(body["device_code"]);
  tell(`Open ${printable(String(body["verification_uri"]))} in a browser and type this code:`);
  tell(`    ${printable(String(body["user_code"]))}`);
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
  return new UserError("Nobody typed the code within ten minutes; nothing was saved.", {
    code: "login_timed_out",
    next: "svc login --device",
  });
}
