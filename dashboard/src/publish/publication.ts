import type { Api } from "../api.ts";
import type { OpenedRelease, Release } from "../resources.ts";
import type { Choices, LiveSettings } from "./choices.ts";
import type { HashedFile, NamedContent, PreparedFolder } from "./protocol.ts";
import { retried, type Waiting } from "./retries.ts";
import { uploadAll } from "./upload.ts";

/** A release that is ready to be opened. */
export interface Publication {
  readonly api: Api;
  readonly slug: string;
  readonly prepared: PreparedFolder;
  bytesOf(sha256: string): Promise<Blob>;
}

/** Changes that publishing would make, and the contents that the service lacks for it. @throws ApiError */
export async function compared({ api, slug, prepared }: Publication): Promise<OpenedRelease> {
  return await open(api, slug, { ...bodyOf(prepared), dry_run: true });
}

export interface Sending extends Waiting {
  readonly message: string;
  onSent(sent: { readonly bytes: number; readonly totalBytes: number }): void;
}

/**
 * Opens the release, or goes on with the open one of the same files, and uploads what is missing.
 *
 * @returns the release, which is complete
 * @throws Refusal, ApiError, or the signal's reason
 */
export async function upload(publication: Publication, { message, onSent, ...waiting }: Sending): Promise<string> {
  const { api, slug, prepared, bytesOf } = publication;
  const body = { ...bodyOf(prepared), ...(message.trim() !== "" && { message: message.trim() }) };
  const { release, missing, first_uploads: first } = await retried(() => open(api, slug, body), waiting);
  if (release === null) throw new Error("The API opened no release");
  const lacking = new Set(missing);
  const files = contentsOf(prepared.files).filter(({ sha256 }) => lacking.has(sha256));
  const totalBytes = files.reduce((sum, { size }) => sum + size, 0);
  let bytes = 0;
  onSent({ bytes, totalBytes });
  await uploadAll({
    api,
    slug,
    releaseId: release.id,
    files,
    firstUploads: first?.uploads ?? [],
    bytesOf,
    ...waiting,
    onBytes: (more) => {
      bytes += more;
      onSent({ bytes, totalBytes });
    },
  });
  return release.id;
}

/** @param current the release that is live now, as the person saw it; null: none */
export async function goLive({ api, slug }: Publication, id: string, current: string | null, waiting: Waiting) {
  const body = { expect_current: current };
  // If the response was lost, the same call finds the release live.
  return await retried(
    () => api.call("POST /projects/:slug/releases/:id/publish", { params: { slug, id }, body }),
    waiting,
  );
}

export async function openPreview({ api, slug }: Publication, id: string, waiting: Waiting) {
  return await retried(() => api.call("POST /projects/:slug/releases/:id/preview", { params: { slug, id } }), waiting);
}

/** What a publication begins with: settings and choices of the release that is live, or else was live last. */
export interface Beginning {
  /** The release that is live; null: none. */
  readonly current: string | null;
  readonly live: LiveSettings | undefined;
  readonly choices: Choices;
}

/** Compared with others or with itself, a release says how its files are sent, and what was chosen for it. @throws ApiError */
export async function beginning(api: Api, slug: string): Promise<Beginning> {
  const { current_release: live, picture_url: url } = await api.call("GET /projects/:slug", { params: { slug } });
  const current = live?.id ?? null;
  const id = current ?? (await lastLive(api, slug));
  if (id === undefined) return { current, live: undefined, choices: { leftOut: [] } };
  const { settings, choices } = await api.call("GET /projects/:slug/releases/:id/changes", { params: { slug, id } });
  const { left_out: leftOut, index, picture, isolation_off: isolationOff } = choices;
  return {
    current,
    live: { ...settings, isolationOff, isPast: live === null },
    choices: { leftOut, ...(index !== null && { page: index }), ...(picture && { picture: { ...picture, url } }) },
  };
}

/** The release that was live last, while none is. */
async function lastLive(api: Api, slug: string): Promise<string | undefined> {
  const { releases } = await api.call("GET /projects/:slug/releases", { params: { slug } });
  const timeOf = ({ published_at: at }: Release) => at ?? "";
  return releases
    .filter(({ status }) => status === "published")
    .sort((a, b) => (timeOf(a) < timeOf(b) ? 1 : -1))
    .at(0)?.id;
}

type Body = ReturnType<typeof bodyOf> & { message?: string; dry_run?: true };

async function open(api: Api, slug: string, body: Body): Promise<OpenedRelease> {
  return await api.call("POST /projects/:slug/releases", { params: { slug }, creates: true, body });
}

function bodyOf({ files, settings, picture, choices }: PreparedFolder) {
  return {
    files: files.map(({ parts: _, br, ...file }) => ({
      ...file,
      ...(br && { br: { size: br.size, sha256: br.sha256 } }),
    })),
    settings: {
      ...settings,
      immutable: [...settings.immutable],
      frame: typeof settings.frame === "string" ? settings.frame : [...settings.frame],
      preload: [...settings.preload],
    },
    ...(picture !== undefined && { picture }),
    choices,
  };
}

/** Contents that the service stores of the files, each once. */
function contentsOf(files: readonly HashedFile[]): NamedContent[] {
  const all = files.flatMap((file) => [file, ...(file.br ? [{ ...file.br, path: `${file.path} (Brotli)` }] : [])]);
  return [...new Map(all.map((content) => [content.sha256, content])).values()];
}
