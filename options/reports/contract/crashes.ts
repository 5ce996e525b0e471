/*
 * What is kept of a crash that a player's browser reports: what it was, on which kind of device and in which engine
 * (docs/decisions/0080-crashes.md). URL, address, user agent and referrer are not.
 */

export const crashReasons = ["oom", "unresponsive", "other"] as const;
export const deviceClasses = ["phone", "tablet", "desktop"] as const;
export const engines = ["chromium", "firefox", "webkit", "other"] as const;

export interface Crash {
  readonly reason: (typeof crashReasons)[number];
  readonly device: (typeof deviceClasses)[number];
  readonly engine: (typeof engines)[number];
}

/** A report as browsers send it (Reporting API, section 2.5; Crash Reporting, section 4). */
interface Report {
  readonly type: string;
  readonly user_agent?: string | null | undefined;
  readonly body?: { readonly reason?: string | null | undefined } | null | undefined;
}

/** The crashes among reports; reports of other types are no crashes. */
export function crashesOf(reports: readonly Report[]): Crash[] {
  return reports
    .filter(({ type }) => type === "crash")
    .map(({ body, user_agent: agent }) => ({ reason: reasonOf(body?.reason), ...clientOf(agent ?? "") }));
}

function reasonOf(reason: string | null | undefined): Crash["reason"] {
  return reason === "oom" || reason === "unresponsive" ? reason : "other";
}

function clientOf(agent: string): Pick<Crash, "device" | "engine"> {
  return { device: deviceOf(agent), engine: engineOf(agent) };
}

/** Browsers on a phone say `Mobile`; on a tablet with Android they do not, and an iPad may call itself a Mac. */
function deviceOf(agent: string): Crash["device"] {
  if (/iPad|Tablet/.test(agent)) return "tablet";
  if (/Mobile|iPhone/.test(agent)) return "phone";
  return agent.includes("Android") ? "tablet" : "desktop";
}

/** Chromium names WebKit too, and both are `like Gecko`. */
function engineOf(agent: string): Crash["engine"] {
  if (/Chrom(e|ium)\//.test(agent)) return "chromium";
  if (/Firefox\//.test(agent)) return "firefox";
  return agent.includes("AppleWebKit/") ? "webkit" : "other";
}
