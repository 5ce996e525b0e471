/** Parts of a project's page in the dashboard, by the words of `svc open`: the end of the path, and what is there. */
const ofProject: Record<string, readonly [end: string, summary: string]> = {
  overview: ["", "the project in the dashboard"],
  releases: ["/releases", "its releases, where a person deletes one"],
  history: ["/history", "who did what"],
  settings: ["/settings", "its name, address and embedding"],
  members: ["/settings#members", "its people: invite, change a role, leave"],
  publishers: ["/settings#publishers", "the CI jobs that may publish it"],
  delete: ["/settings#delete", "hand it over, or delete it"],
};

/** Pages of the account. */
const ofAccount: Readonly<Record<string, readonly [path: string, summary: string]>> = {
  projects: ["/", "all your projects, also deleted ones"],
  people: ["/people", "the people of all your projects: invite, remove"],
  tokens: ["/tokens", "your tokens: create, replace, revoke"],
  account: ["/account", "your name, your user ID and your data"],
};

/** Adds the tabs of options, once, by their names in URLs and what is there. */
export function addProjectPlaces(added: Readonly<Record<string, string>>): void {
  for (const [name, summary] of Object.entries(added)) ofProject[name] = [`/${name}`, summary];
}

/** The words of `svc open`, and what a person finds there: the game itself, then the dashboard. */
export function openPlaces(): readonly (readonly [place: string, summary: string])[] {
  const inDashboard = [ofProject, ofAccount].flatMap((places) =>
    Object.entries(places).map(([place, [, summary]]) => [place, summary] as const),
  );
  return [
    ["game", "play the live release"],
    ["page", "its public page: picture, description, what is new"],
    ...inDashboard,
  ];
}

/** Whether a place belongs to one project. */
export function isOfProject(place: string): boolean {
  return Object.hasOwn(ofProject, place);
}

/**
 * The path of a place in the dashboard, with its fragment.
 *
 * @param slug the project, for a place of a project
 * @throws Error for a word that is no place
 */
export function dashboardPath(place: string, slug = ""): string {
  const [path] = ofAccount[place] ?? [];
  if (path !== undefined) return path;
  const [end] = ofProject[place] ?? [];
  if (end === undefined) throw new Error(`${place} is no place of the dashboard.`);
  return `/projects/${encodeURIComponent(slug)}${end}`;
}
