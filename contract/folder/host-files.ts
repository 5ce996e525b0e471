import { projectFileWords, type SettingWords } from "./setting-words.ts";

/*
 * `_headers` and `_redirects` configure a site on other hosts (Netlify, Cloudflare Pages). Nothing here reads them, so a game that needs them is refused with
 * what takes their place (docs/decisions/0024-a-game-has-its-own-origin.md#no-headers-and-redirects-of-a-games-own).
 */

type HostWords = Pick<SettingWords, "isolation" | "credentialless" | "spa" | "immutable">;

/** Whether a path of a release is such a file. They count at the top of the folder alone. */
export function isHostFile(path: string): boolean {
  return path === "_headers" || path === "_redirects";
}

/**
 * Advice on what takes the place of each line, as "line 3: …".
 *
 * @param text of `_headers` or `_redirects`, as Netlify and Cloudflare Pages read them: https://docs.netlify.com/manage/routing/headers,
 *   https://developers.cloudflare.com/pages/configuration/redirects
 */
export function hostFileProblems(path: string, text: string, words: HostWords = projectFileWords): string[] {
  const adviceFor = path === "_headers" ? headerAdvice : redirectAdvice;
  return text.split(/\r?\n/).flatMap((line, index) => {
    const advice = /^\s*(?:#|$)/.test(line) ? undefined : adviceFor(line, words);
    return advice === undefined ? [] : [`line ${index + 1}: ${advice}`];
  });
}

/** Advice by the name of a header in lower case. */
const headers: Readonly<Record<string, (words: HostWords) => string>> = {
  "cross-origin-opener-policy": ({ isolation }) => `${isolation} sends it with everything`,
  "cross-origin-embedder-policy": ({ credentialless }) => `${credentialless} sends it with everything`,
  "cross-origin-resource-policy": ({ isolation }) => `${isolation} sends cross-origin with everything`,
  "cache-control": ({ immutable }) =>
    `browsers ask each time whether a file has changed; ${immutable("assets/**")} lets them keep files`,
  "content-encoding": () => "files named .br and .gz are sent with it",
  "content-type": () => "it follows from the name of each file",
  "x-content-type-options": () => "nosniff is sent with everything",
  "content-security-policy": () =>
    "a <meta http-equiv> in the page can have it; embedding in svc.toml has frame-ancestors",
  "x-frame-options": () => 'embedding = "nobody" in svc.toml keeps it out of other sites',
};

/** @returns undefined for a line with a path */
function headerAdvice(line: string, words: HostWords): string | undefined {
  const name = /^\s+(?:!\s*)?([^\s:]+)/.exec(line)?.[1];
  if (name === undefined) return undefined;
  const header = name.toLowerCase();
  return `${name}: ${Object.hasOwn(headers, header) ? headers[header]?.(words) : "no header of a game's own is sent"}`;
}

function redirectAdvice(line: string, words: HostWords): string {
  const [from = "", ...rest] = line.trim().split(/\s+/);
  // Between the two paths Netlify has conditions on the query: id=:id.
  const to = rest.find((word) => /^(?:\/|https?:)/.test(word)) ?? "";
  const status = rest.find((word) => /^\d{3}!?$/.test(word)) ?? "";
  if (from === "/*" && /^\/(?:index\.html)?$/.test(to) && status.startsWith("200"))
    return `${words.spa} sends index.html for pages without a file`;
  if (to.startsWith("http") && status.startsWith("200"))
    return "nothing is fetched from other servers: let the page do it";
  if (status.startsWith("404")) return "404.html in the folder is sent for what is missing";
  return `nothing is redirected: a page at ${from} with <meta http-equiv="refresh" content="0;url=${to}"> leads on`;
}

/** Settings that do here what the lines of such files turn on elsewhere. */
export function settingsInHostFiles(texts: Readonly<Partial<Record<string, string>>>): {
  isolation?: true;
  spa?: true;
} {
  const of = (path: string) => hostFileProblems(path, texts[path] ?? "", markers).join("\n");
  return {
    ...(of("_headers").includes(markers.credentialless) && { isolation: true as const }),
    ...(of("_redirects").includes(markers.spa) && { spa: true as const }),
  };
}

/** Texts that no line contains. */
const markers: HostWords = {
  isolation: "\u0000isolation",
  credentialless: "\u0000credentialless",
  spa: "\u0000spa",
  immutable: () => "",
};
