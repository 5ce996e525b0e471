import { createHash, randomUUID } from "node:crypto";
import type { ManifestFile } from "../../../contract/api/releases/manifest-rules.ts";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import type { Actor, Person } from "./actors.ts";
import type { CheckedResponse } from "./checked-request.ts";
import { deltaOf } from "./delta.ts";

/** The files of a folder: their bytes by path. */
export type Folder = Readonly<Record<string, string | Buffer>>;

/** An upload URL as `POST …/uploads` gives it. */
export interface UploadUrl {
  readonly sha256: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function sha256(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function manifestOf(folder: Folder): ManifestFile[] {
  return Object.entries(folder).map(([path, bytes]) => ({
    path,
    size: Buffer.byteLength(bytes),
    sha256: sha256(bytes),
  }));
}

/** Uploads bytes and returns the store's status. */
export async function upload({ url, headers }: Omit<UploadUrl, "sha256">, bytes: string | Buffer): Promise<number> {
  const response = await fetch(url, {
    method: "PUT",
    headers: { ...headers },
    body: new Uint8Array(Buffer.from(bytes)),
  });
  await response.arrayBuffer();
  return response.status;
}

/**
 * A folder's files with a delta of each, from the dictionary `named`. A file must be long, or its delta is no smaller than half of it. A
 * delta can be sent only if a file of the project has these bytes.
 */
export function withDeltas(folder: Folder, named: string): { readonly files: ManifestFile[]; readonly bytes: Folder } {
  const made = Object.entries(folder).map(([path, bytes]) => ({ path, delta: deltaOf(named, bytes) }));
  const files = manifestOf(folder).map((file, index) => {
    const { delta = Buffer.of() } = made[index] ?? {};
    return { ...file, deltas: [{ dictionary: sha256(named), size: delta.length, sha256: sha256(delta) }] };
  });
  const deltas = Object.fromEntries(made.map(({ path, delta }) => [`delta of ${path}`, delta]));
  return { files, bytes: { ...folder, ...deltas } };
}

/** A folder's files with an index of each. */
export function withIndexes(folder: Folder, named: string): { readonly files: ManifestFile[]; readonly bytes: Folder } {
  const text = (path: string) => `index of ${path}, ${named}`;
  const files = manifestOf(folder).map((file) => {
    const index = text(file.path);
    return { ...file, index: { size: index.length, sha256: sha256(index) } };
  });
  const indexes = Object.fromEntries(files.map(({ path }) => [text(path), text(path)]));
  return { files, bytes: { ...folder, ...indexes } };
}

/** Opens a release of a folder, or of these files with its bytes, and uploads what is missing. */
export async function openRelease(
  owner: Actor,
  slug: string,
  folder: Folder,
  files = manifestOf(folder),
  settings?: Partial<ReleaseSettings>,
): Promise<CheckedResponse> {
  const opened = await owner.post(`/projects/${slug}/releases`, { files, ...(settings && { settings }) });
  if (opened.status >= 300) throw new Error(`Opening a release responded with ${opened.status}`);
  await uploadMissing(owner, slug, opened, folder);
  return opened;
}

async function uploadMissing(owner: Actor, slug: string, { body }: CheckedResponse, folder: Folder): Promise<void> {
  const given: readonly UploadUrl[] = body.first_uploads?.uploads ?? [];
  const rest = body.missing.slice(given.length);
  const bytes = new Map(Object.values(folder).map((content) => [sha256(content), content]));
  for (const uploadUrl of [...given, ...(await uploadUrls(owner, slug, body.release.id, rest))]) {
    const status = await upload(uploadUrl, bytes.get(uploadUrl.sha256) ?? "");
    if (status !== 200) throw new Error(`The store responded with ${status}`);
  }
}

/** The URLs of what is missing beyond those that the opening gives. */
async function uploadUrls(owner: Actor, slug: string, id: string, missing: readonly string[]): Promise<UploadUrl[]> {
  if (missing.length === 0) return [];
  const { status, body } = await owner.post(`/projects/${slug}/releases/${id}/uploads`, { sha256: missing });
  if (status !== 200) throw new Error(`Asking for upload URLs responded with ${status}`);
  return body.uploads;
}

/** Publishes a folder and returns the id of its release, which is live then. */
export async function publish(owner: Actor, slug: string, folder: Folder, files?: ManifestFile[]): Promise<string> {
  const { body } = await openRelease(owner, slug, folder, files);
  const { status } = await owner.post(`/projects/${slug}/releases/${body.release.id}/publish`);
  if (status !== 200) throw new Error(`Publishing responded with ${status}`);
  return body.release.id;
}

/** A new slug. */
export function newSlug(): string {
  return `game-${randomUUID().slice(0, 18)}`;
}

/** A new project of a developer. */
export async function newProject(owner: Actor, slug = newSlug()): Promise<string> {
  const { status } = await owner.post("/projects", { slug });
  if (status !== 201) throw new Error(`Creating a project responded with ${status}`);
  return slug;
}

/** Offers a project to another developer. @returns how this one takes it over */
export async function offer(owner: Actor, slug: string, to: Person): Promise<() => Promise<CheckedResponse>> {
  const path = `/projects/${slug}/invitations`;
  const { status, body } = await owner.post(path, { role: "owner", to: to.uid });
  if (status !== 200) throw new Error(`Inviting responded with ${status}`);
  return () => to.post(`${path}/${body.id}/acceptance`);
}

/** Hands a project over to another developer. */
export async function handOver(owner: Actor, slug: string, to: Person): Promise<CheckedResponse> {
  return await (await offer(owner, slug, to))();
}

/** Opens a release of one page, uploads it, and returns its id: it can go live. */
export async function readyRelease(owner: Actor, slug: string, page: string): Promise<string> {
  return (await openRelease(owner, slug, { "index.html": page })).body.release.id;
}

/** A whole minute from now on, for which a release can be scheduled. */
export function minutesAhead(minutes: number): string {
  return new Date((Math.floor(Date.now() / 60_000) + minutes) * 60_000).toISOString();
}

/** Asks for a release to go live. */
export function makeLive(actor: Actor, slug: string, id: string, body?: object): Promise<CheckedResponse> {
  return actor.post(`/projects/${slug}/releases/${id}/publish`, body);
}

/** The id of the live release of a project, as everybody sees it. */
export async function liveRelease(actor: Actor, slug: string): Promise<string | undefined> {
  return (await actor.get(`/projects/${slug}`)).body.current_release?.id;
}

/** The ids of the releases that an account made live in a project, in their order. */
export async function publications(actor: Actor, slug: string): Promise<string[]> {
  const { body } = await actor.get("/me/events");
  const events = body.events as { type: string; project?: string; release_id: string }[];
  return events
    .filter(({ type, project }) => type === "release_published" && project === slug)
    .map(({ release_id }) => release_id)
    .toReversed();
}

// biome-ignore lint/suspicious/noExplicitAny: every response is checked against the contract
export type ExportedRecord = any;

/** All pages of the export of an account. */
export async function exported(person: Actor): Promise<{ account: ExportedRecord; records: ExportedRecord[] }> {
  const records: ExportedRecord[] = [];
  for (let cursor = ""; ; ) {
    const { status, body } = await person.get(`/me/export${cursor && `?cursor=${cursor}`}`);
    if (status !== 200) throw new Error(`Exporting responded with ${status}`);
    records.push(...body.records);
    if (body.next_cursor === null) return { account: body, records };
    cursor = body.next_cursor;
  }
}
