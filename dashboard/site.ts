import type { Configuration } from "./src/configuration.ts";

/** The files and headers of a stage's dashboard, whatever serves it. */
export interface SiteOptions {
  readonly configuration: Configuration;
  /** Origins beside the API's and the issuer's that the page sends requests to: the store's, a token endpoint's. */
  readonly origins?: readonly string[];
}

/** The file that the page's configuration is served as. */
export const configurationPath = "/configuration.json";

/** The command line's package, which npm installs from the dashboard's host. */
export const packagePath = "/svc.tgz";

/** The folder of the files whose names change with their content. */
export const assetsFolder = "assets";

/** The same package by its digest, for CI jobs that pin it: it stays there when a later deployment brings another one. */
export function pinnedPackagePath(sha256: string): string {
  return `/${assetsFolder}/svc-${sha256}.tgz`;
}

/** The path of the page's HTML. */
export const pagePath = "/index.html";

/** What the built page's HTML has places for. */
interface PageValues {
  /** A URL without a path: what chats show of a link is named by whole URLs (https://ogp.me). */
  readonly origin: string;
  readonly configuration: Configuration;
}

/**
 * The page's HTML on a stage. The configuration in it is data that no browser runs, so that the Content-Security-Policy allows it.
 *
 * @param html as it was built
 */
export function pageOf(html: string, { origin, configuration }: PageValues): string {
  const data = JSON.stringify(configuration).replaceAll("<", "\\u003c");
  return html.replaceAll("{origin}", origin).replace(/(?<=id="configuration">)null(?=<)/, () => data);
}

/** Cache-Control of a file: an asset is kept without asking again, everything else is asked for each time. */
export function cacheControlOf(path: string): string {
  return path.startsWith(`/${assetsFolder}/`) ? "public, max-age=31536000, immutable" : "no-cache";
}

/**
 * The headers of every response: only the page's own scripts and styles, WebAssembly (the Brotli encoder) but no `eval`,
 * images of any https host, no frame around it, requests only to the stage's API, store and identity provider, and to the
 * hosts that a repository's numbers are looked up at. Firebase adds what it loads.
 */
export function securityHeaders(options: SiteOptions): Readonly<Record<string, string>> {
  return {
    "content-security-policy": contentSecurityPolicy(options),
    "cross-origin-opener-policy": "same-origin-allow-popups",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}

/** Sources that Firebase's library loads and asks: https://firebase.google.com/docs/auth/web/redirect-best-practices */
function firebaseSources(authDomain: string, emulator: string | undefined) {
  return {
    script: ["https://apis.google.com"],
    connect: ["https://identitytoolkit.googleapis.com", "https://securetoken.googleapis.com", emulator ?? ""],
    frame: [`https://${authDomain}`, emulator ?? ""],
  };
}

/** Origins at which the form of a trusted publisher looks up a public repository's numbers, without a credential. */
const repositoryHosts = ["https://api.github.com", "https://gitlab.com"];

/** Every game's own host, if `https:` does not name it already: on one machine. */
function gameHosts({ games = "" }: Configuration): string[] {
  return games.startsWith("http:") ? [games.replace("{slug}", "*").replace(/\/$/, "")] : [];
}

function contentSecurityPolicy({ configuration, origins = [] }: SiteOptions): string {
  const { api, identityProvider } = configuration;
  const isFirebase = identityProvider.kind === "firebase";
  const provider = isFirebase
    ? firebaseSources(identityProvider.authDomain, identityProvider.emulator)
    : { script: [], connect: [new URL(identityProvider.issuer).origin], frame: [] };
  const directives: Record<string, readonly string[]> = {
    "default-src": ["'none'"],
    "script-src": ["'self'", "'wasm-unsafe-eval'", ...provider.script],
    "worker-src": ["'self'"],
    "style-src": ["'self'"],
    // The person's own picture, and those of games; what has no script to run cannot load another one (docs/decisions/0033-the-dashboards-host.md#what-the-dashboard-gives-out-the-command-lines-package-the-persons-own-picture).
    "img-src": ["'self'", "https:", ...gameHosts(configuration)],
    "connect-src": ["'self'", api, ...provider.connect, ...origins, ...repositoryHosts],
    "frame-src": provider.frame.length > 0 ? provider.frame : ["'none'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
    "form-action": ["'none'"],
    // Firebase's library adds script elements by itself.
    ...(!isFirebase && { "require-trusted-types-for": ["'script'"], "trusted-types": ["svc-worker"] }),
  };
  return Object.entries(directives)
    .map(([name, sources]) => [name, ...sources.filter(Boolean)].join(" "))
    .join("; ");
}
