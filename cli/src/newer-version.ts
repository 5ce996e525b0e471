import * as path from "node:path";
import type { Client } from "../../contract/client.ts";
import { packageVersion } from "./package-version.ts";
import { cacheDirectory, readCache, writeCache } from "./publish/cache-file.ts";

const dayMilliseconds = 86_400_000;
/** Nobody waits longer for it, once a day. */
const maxMilliseconds = 2_000;

/**
 * Asks a stage once a day, without a token, whether it serves a newer svc than this one.
 *
 * @returns the line that says so; undefined if it does not, was asked within a day, or does not say in time
 */
export async function newerVersionLine(client: Client, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const directory = cacheDirectory(environment);
  if (directory === undefined) return undefined;
  const file = path.join(directory, "asked-for-version.json");
  const { origin } = client.api;
  const asked = readCache(file);
  if (Date.now() - Number(asked[origin] ?? 0) < dayMilliseconds) return undefined;
  // Before the request, so that a stage that does not respond is not asked by the next command.
  writeCache(file, { ...asked, [origin]: Date.now() });
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, maxMilliseconds, undefined);
  const root = await Promise.race([client.call("GET /").catch(() => undefined), late]);
  clearTimeout(timer);
  if (root === undefined || !isNewer(root.service_version, packageVersion)) return undefined;
  const { service_version: version, dashboard } = root;
  // On one machine npm does not find the dashboard's host name.
  const site = client.api.protocol === "http:" ? client.api.href : dashboard;
  const how = site === null ? "" : ` Update it: npm install --global ${new URL("/svc.tgz", site)}`;
  return `svc ${version} is here, and this is ${packageVersion}.${how}`;
}

/** Whether a version is newer; never for what is no version of three numbers. */
export function isNewer(version: string, than: string): boolean {
  const numbersOf = (text: string) => (/^\d+\.\d+\.\d+$/.test(text) ? text.split(".").map(Number) : undefined);
  const [numbers, others] = [numbersOf(version), numbersOf(than)];
  if (numbers === undefined || others === undefined) return false;
  const differing = numbers.findIndex((number, index) => number !== others[index]);
  return differing !== -1 && (numbers[differing] ?? 0) > (others[differing] ?? 0);
}
