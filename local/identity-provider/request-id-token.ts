import { idTokenPath } from "./identity-provider.ts";
import { readStartSecret } from "./start-secret.ts";

/**
 * Requests a signed ID token from the local identity provider at this port.
 *
 * @throws Error if that is no port, if no provider is there, or one that was not started from this checkout
 */
export async function requestIdToken(port: number, claims: Readonly<Record<string, unknown>>): Promise<string> {
  if (Number.isNaN(port)) throw new Error(`IDP_PORT must be a port number, not "${process.env["IDP_PORT"]}".`);
  const secret = await readStartSecret(port);
  const response = await fetch(`http://127.0.0.1:${port}${idTokenPath}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify(claims),
  }).catch(() => undefined);
  if (response === undefined)
    throw new Error(`No local identity provider runs at port ${port}. Start one with \`npm start\`.`);
  if (!response.ok)
    throw new Error(
      `The provider at port ${port} was not started from this checkout, or by another user of this machine.`,
    );
  return await response.text();
}
