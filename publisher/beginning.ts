import { changedSettings, defaultSettings, type ReleaseSettings } from "../contract/api/releases/release-settings.ts";
import { ApiError } from "../contract/api-error.ts";
import type { Client, ResponseBody } from "../contract/client.ts";
import type { Advice } from "../contract/folder/advice.ts";
import type { Choices, DecidedSettings, SettingSources } from "./settings.ts";

/** Start of a publication: what is live, and what a person has decided for the project. */
export interface Beginning {
  /** The release that is live; null: none. */
  readonly current: string | null;
  /** Settings of it; undefined if none is live. */
  readonly live: ReleaseSettings | undefined;
  readonly decided: DecidedSettings;
  readonly choices: Choices;
  /** Left-out paths of the live release that nobody decided. */
  readonly undecidedPaths: readonly string[];
}

/** The start of a publication that takes nothing from an earlier one. */
export const freshBeginning: Beginning = {
  current: null,
  live: undefined,
  decided: defaultSettings,
  choices: { leftOut: [] },
  undecidedPaths: [],
};

/**
 * The start for a project. What only a token or a CI job has set, with whose release it went live, is not taken over.
 *
 * @throws what the client throws, but for a project that does not exist
 */
export async function readBeginning(client: Client, slug: string): Promise<Beginning> {
  try {
    return await beginningOfProject(client, slug, await client.call("GET /projects/:slug", { params: { slug } }));
  } catch (failure) {
    // It is reported when the release is opened, unless the project is created before.
    if (failure instanceof ApiError && failure.code === "project_not_found") return freshBeginning;
    throw failure;
  }
}

/** The start for a project that is read already. @throws what the client throws */
export async function beginningOfProject(
  client: Client,
  slug: string,
  { current_release: live, picture_url: url }: Pick<ResponseBody<"getProject">, "current_release" | "picture_url">,
): Promise<Beginning> {
  const id = live?.id ?? (await lastLive(client, slug));
  if (id === undefined) return freshBeginning;
  const compared = await client.call("GET /projects/:slug/releases/:id/changes", { params: { slug, id } });
  const { decided } = compared;
  const { left_out: leftOut, index, picture, isolation_off: isolationOff } = decided.choices;
  return {
    current: live?.id ?? null,
    live: live ? compared.settings : undefined,
    decided: { ...decided.settings, isolationOff },
    choices: { leftOut, ...(index !== null && { page: index }), ...(picture && { picture: { ...picture, url } }) },
    undecidedPaths: live ? compared.choices.left_out.filter((path) => !leftOut.includes(path)) : [],
  };
}

/** The release that was live last, while none is. */
async function lastLive(client: Client, slug: string): Promise<string | undefined> {
  const { releases } = await client.call("GET /projects/:slug/releases", { params: { slug } });
  const timeOf = ({ published_at: at }: ResponseBody<"listReleases">["releases"][number]) => at ?? "";
  const earlier = releases.filter(({ status }) => status === "published");
  return earlier.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1)).at(0)?.id;
}

/** A person has decided other settings or choices since the publication began. The clients have the words for it. */
export class DecisionConflict extends Error {
  override readonly name = "DecisionConflict";
  /** The release that is live now; null: none. */
  readonly current: string | null;

  constructor(current: string | null) {
    super(current ?? "none");
    this.current = current;
  }
}

/**
 * Nobody's decision is taken back by a publication that began before it.
 *
 * @throws DecisionConflict
 */
export async function assertStillDecided(client: Client, slug: string, earlier: Beginning): Promise<void> {
  const now = await readBeginning(client, slug);
  const decisionsIn = ({ decided, choices }: Beginning) => JSON.stringify([decided, choices]);
  if (decisionsIn(now) !== decisionsIn(earlier)) throw new DecisionConflict(now.current);
}

/** Advice about what a new release will not have of the live one, because neither svc.toml nor a person decided it. */
export function undecidedAdvice(
  { live, decided, undecidedPaths: places }: Pick<Beginning, "live" | "decided" | "undecidedPaths">,
  { file, choices, next }: Pick<SettingSources, "file" | "choices"> & { readonly next: ReleaseSettings },
): Advice[] {
  if (live === undefined) return [];
  const isLost = new Set(changedSettings(live, next));
  const isChosen = (name: keyof ReleaseSettings) =>
    name !== "preload" && choices[name === "updates" ? "whole" : name] !== undefined;
  const isDefault = (name: keyof ReleaseSettings) => !changedSettings(defaultSettings, live).includes(name);
  const settings = changedSettings(decided, live).filter(
    (name) => isLost.has(name) && !isDefault(name) && file[name] === undefined && !isChosen(name),
  );
  return settings.length + places.length === 0 ? [] : [{ code: "settings_undecided", places, settings }];
}
