import { type PageRequest, reloadsEndlessly, type ScriptError, saysLoading, type Visit } from "./visit.ts";

/** Permanent: scripts match on them (docs/cli.md). */
export type ProblemCode =
  | "nothing_drawn"
  | "page_missing"
  | "not_responding"
  | "crashed"
  | "leaves_the_page"
  | "reloads_endlessly"
  | "stays_loading"
  | "missing_file"
  | "broken_file"
  | "this_machine"
  | "insecure_host"
  | "other_host"
  | "uncaught_error"
  | "console_error"
  | "dialog";

/** What is wrong with a build, as a player would meet it. */
export interface Problem {
  readonly code: ProblemCode;
  /** A sentence, and its places: paths, hosts or errors. */
  readonly message: string;
  readonly places: readonly string[];
  readonly screens: readonly Visit["screen"][];
}

/** With these nobody can play. */
const fatal: ReadonlySet<ProblemCode> = new Set([
  "nothing_drawn",
  "page_missing",
  "not_responding",
  "crashed",
  "leaves_the_page",
  "reloads_endlessly",
]);

/** Whether a game starts: something is drawn, on the page that was opened, and it responds. */
export function starts(problems: readonly Problem[]): boolean {
  return !problems.some(({ code }) => fatal.has(code));
}

const messages: Readonly<Record<ProblemCode, string>> = {
  nothing_drawn: "Nothing is drawn: the page stays empty.",
  page_missing: "The first page cannot be loaded.",
  not_responding: "The page does not respond: a script never ends.",
  crashed: "The page crashes.",
  leaves_the_page: "The page goes to another site.",
  reloads_endlessly: "The page loads itself again and again.",
  stays_loading: "It is still loading when the time is over.",
  missing_file: "Files are missing.",
  broken_file: "Files cannot be read as what their names say.",
  this_machine: "It loads from this machine; players do not have that.",
  insecure_host: "It loads over http, which browsers block on a page with https.",
  other_host: "It loads from other hosts, and works only as long as they do.",
  uncaught_error: "Scripts fail.",
  console_error: "The console has errors.",
  dialog: "It shows a dialog before it starts.",
};

/**
 * What was wrong in the visits, each problem once.
 *
 * @param paths the files of the build, among which the one that was meant may be
 */
export function problemsOf(visits: readonly Visit[], origin: string, paths: readonly string[]): Problem[] {
  const placesByCode = visits.flatMap((visit) => {
    const places = placesIn(visit, origin, paths);
    return Object.entries(places).flatMap(([code, list]) =>
      list === undefined ? [] : [{ code: code as ProblemCode, places: list, screen: visit.screen }],
    );
  });
  return [...Map.groupBy(placesByCode, ({ code }) => code)].map(([code, each]) => ({
    code,
    message: messages[code],
    places: [...new Set(each.flatMap(({ places }) => places))],
    screens: [...new Set(each.map(({ screen }) => screen))],
  }));
}

/** The hosts beside its own that a game loads from. */
export function otherHostsOf(visits: readonly Visit[], origin: string): string[] {
  const urls = visits.flatMap(({ requests }) => requests.map(({ url }) => url));
  return [...new Set(urls.filter((url) => !isOwn(url, origin) && !isThisMachine(url)).map(hostOf))].filter(Boolean);
}

type Places = Partial<Record<ProblemCode, readonly string[] | undefined>>;

function placesIn(visit: Visit, origin: string, paths: readonly string[]): Places {
  const { requests, uncaught, consoleErrors, dialogs } = visit;
  const [page] = requests;
  const ownRequests = requests.filter(({ url }) => isOwn(url, origin));
  const others = requests.map(({ url }) => url).filter((url) => !isOwn(url, origin));
  const machine = others.filter(isThisMachine);
  const foreign = others.filter((url) => !isThisMachine(url));
  const missing = ownRequests.filter((request) => isMissing(request));
  const pending = requests.filter(({ isPending }) => isPending);
  const isStuck = saysLoading(visit.text);
  const hasPage = page?.status !== undefined && page.status < 400;
  const fatalProblem = fatalPlaces(visit, origin, hasPage);
  return {
    ...fatalProblem,
    // Nothing else is to be expected of a page that does not start.
    stays_loading:
      Object.keys(fatalProblem).length > 0
        ? undefined
        : some([...pending.map(({ url }) => pathOf(url, origin)), ...(isStuck ? [firstLine(visit.text)] : [])]),
    missing_file: some(missing.map(({ url }) => withNearest(pathOf(url, origin), paths))),
    broken_file: some([
      ...ownRequests
        .filter((request) => request.failure && !isMissing(request))
        .map(({ url, failure }) => `${pathOf(url, origin)}: ${failure}`),
      ...visit.brokenImages
        .filter((url) => isOwn(url, origin))
        .map((url) => `${pathOf(url, origin)}: the image ends early, or is none`),
    ]),
    this_machine: some(machine),
    insecure_host: some(foreign.filter((url) => /^(http|ws):/.test(url)).map(hostOf)),
    other_host: some(foreign.filter((url) => url.startsWith("https:")).map(hostOf)),
    uncaught_error: some(uncaught.map(errorText)),
    // The browser says of a missing script that it is no script.
    console_error: some(
      consoleErrors.filter(({ text }) => !missing.some(({ url }) => text.includes(url))).map(errorText),
    ),
    dialog: some(dialogs),
  };
}

/** One reason at most why nobody can play: the others follow from it. */
function fatalPlaces(visit: Visit, origin: string, hasPage: boolean): Places {
  const elsewhere = visit.pages.find((url) => !isOwn(url, origin));
  if (visit.isCrashed) return { crashed: [] };
  if (visit.isUnresponsive) return { not_responding: [] };
  if (reloadsEndlessly(visit)) return { reloads_endlessly: [] };
  if (elsewhere !== undefined) return { leaves_the_page: [elsewhere] };
  if (!hasPage) return { page_missing: [] };
  // Not by the first frame: Chromium does not report that of every canvas.
  if (visit.isBlank) return { nothing_drawn: [] };
  return {};
}

function some(places: readonly string[]): readonly string[] | undefined {
  return places.length === 0 ? undefined : [...new Set(places)];
}

/** Browsers ask for an icon by themselves. */
function isMissing({ url, status }: PageRequest): boolean {
  return status !== undefined && status >= 400 && new URL(url).pathname !== "/favicon.ico";
}

function isOwn(url: string, origin: string): boolean {
  return URL.canParse(url) && new URL(url).origin === origin;
}

function isThisMachine(url: string): boolean {
  if (url.startsWith("file:")) return true;
  const name = URL.canParse(url) ? new URL(url).hostname : "";
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" || /^(127|10|192\.168)\./.test(name);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

function pathOf(url: string, origin: string): string {
  if (!isOwn(url, origin)) return url;
  const { pathname } = new URL(url);
  return decoded(pathname.slice(1)) || "index.html";
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A missing path with the file that was probably meant: in other letters, or in another folder. */
function withNearest(path: string, paths: readonly string[]): string {
  const lower = path.toLowerCase();
  const inOtherCase = paths.find((each) => each.toLowerCase() === lower);
  if (inOtherCase !== undefined) return `${path}: the folder has ${inOtherCase}, and upper and lower case differ`;
  const name = lower.slice(lower.lastIndexOf("/") + 1);
  const elsewhere = paths.find((each) => each.toLowerCase().slice(each.lastIndexOf("/") + 1) === name);
  return elsewhere === undefined ? path : `${path}: the folder has ${elsewhere}`;
}

function firstLine(text: string): string {
  return `it says “${text.split("\n")[0]?.slice(0, 60)}”`;
}

function errorText({ text, place }: ScriptError): string {
  const line = text.slice(0, 200);
  return place === undefined ? line : `${place}: ${line}`;
}
