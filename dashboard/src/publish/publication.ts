import { serverNow, wasReplaced } from "../../../contract/api/time/server-time.ts";
import type { Client } from "../../../contract/client.ts";
import { allKnownBytes, type KnownParts } from "../../../contract/folder/known-parts.ts";
import { Refused } from "../../../publisher/refused.ts";
import { type NewRelease, type ReleaseBody, releaseBody } from "../../../publisher/release.ts";
import { uploadAll } from "../../../publisher/upload.ts";
import type { OpenedRelease, Release } from "../resources.ts";
import { explainRefusal } from "./offers.ts";
import type { HashedFile, NamedContent, PreparedFolder } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { createSender } from "./sender.ts";
import { patienceOf, type Waiting } from "./waiting.ts";

/** A release that is ready to be opened. */
export interface Publication {
  readonly api: Client;
  readonly slug: string;
  readonly prepared: PreparedFolder;
  bytesOf(sha256: string): Promise<Blob>;
  /** Parts of what is missing that the service has in other files. */
  knownOf(opened: OpenedRelease): Promise<KnownParts>;
}

/** Changes that publishing would make, and what would be sent for it. */
export interface ComparedRelease extends OpenedRelease {
  readonly amount: Amount;
}

/** Bytes that are sent, and those of the same files that the service has in others. */
export interface Amount {
  readonly sent: number;
  readonly known: number;
}

/** @throws ApiError */
export async function compared({ api, slug, prepared, knownOf }: Publication): Promise<ComparedRelease> {
  const opened = await open(api, slug, bodyOf(prepared, { isDryRun: true }));
  const known = allKnownBytes(contentsOf(prepared.files), await knownOf(opened));
  return { ...opened, amount: { sent: opened.bytes_to_send - known, known } };
}

export interface Sending extends Waiting {
  readonly message: string;
  onSent(sent: { readonly bytes: number; readonly totalBytes: number }): void;
}

/** A release whose files the service has. */
export interface UploadedRelease {
  readonly id: string;
  readonly amount: Amount;
}

/**
 * Opens the release, or goes on with the open one of the same files, and uploads what is missing.
 *
 * @throws Refusal, ApiError, or the signal's reason
 */
export async function upload(
  publication: Publication,
  { message, onSent, ...waiting }: Sending,
): Promise<UploadedRelease> {
  const { slug, prepared, bytesOf, knownOf } = publication;
  const patience = patienceOf(waiting);
  const api = publication.api.withPatience(patience);
  const said = message.trim();
  const body = bodyOf(prepared, said === "" ? {} : { description: { message: said } });
  const opened = await open(api, slug, body);
  const { release, missing, first_uploads: first } = opened;
  if (release === null) throw new Error("The API opened no release");
  const known = await knownOf(opened);
  waiting.signal.throwIfAborted();
  const lacking = new Set(missing);
  const files = contentsOf(prepared.files).filter(({ sha256 }) => lacking.has(sha256));
  const allBytes = files.reduce((sum, { size }) => sum + size, 0);
  let totalBytes = allBytes - allKnownBytes(files, known);
  let [bytes, stored] = [0, 0];
  onSent({ bytes, totalBytes });
  await uploadAll({
    client: api,
    params: { slug, id: release.id },
    files,
    first,
    known,
    patience,
    openSender: (signal) => createSender({ bytesOf, patience }, signal),
    onKnown: (more, expected) => {
      stored += more;
      totalBytes += Math.max(0, expected - more);
    },
    onBytes: (more) => {
      bytes += more;
      onSent({ bytes, totalBytes });
    },
  });
  return { id: release.id, amount: { sent: allBytes - stored, known: stored } };
}

/**
 * Makes it live. If the response was lost, the same call finds the release live, and does not bring it back over one that took its
 * place since.
 *
 * @param current the release that is live now, as the person saw it; null: none
 */
export async function goLive({ api, slug }: Publication, id: string, current: string | null, waiting: Waiting) {
  const params = { slug, id };
  const begun = serverNow();
  const patient = api.withPatience(patienceOf(waiting));
  const body = { expect_current: current };
  const beforeRepeat = async () =>
    assertNotReplaced(await patient.call("GET /projects/:slug/releases/:id", { params }), begun);
  return await patient.call("POST /projects/:slug/releases/:id/publish", { params, body, beforeRepeat });
}

function assertNotReplaced(release: Release, begun: number): void {
  if (!wasReplaced(release, begun)) return;
  throw new Refusal("It went live while the connection was lost, and something else has taken its place since.");
}

export async function openPreview({ api, slug }: Publication, id: string, waiting: Waiting) {
  const patient = api.withPatience(patienceOf(waiting));
  return await patient.call("POST /projects/:slug/releases/:id/preview", { params: { slug, id } });
}

async function open(api: Client, slug: string, body: ReleaseBody): Promise<OpenedRelease> {
  return await api.call("POST /projects/:slug/releases", { params: { slug }, creates: true, body });
}

/** @throws Refusal if the list of files is too long for a request */
function bodyOf(prepared: PreparedFolder, given: Pick<NewRelease, "description" | "isDryRun"> = {}): ReleaseBody {
  try {
    return releaseBody({ ...prepared, ...given });
  } catch (failure) {
    throw failure instanceof Refused ? explainRefusal(failure) : failure;
  }
}

/** Contents that the service stores of the files, each once. */
function contentsOf(files: readonly HashedFile[]): NamedContent[] {
  const all = files
    .flatMap((file) => [file, ...(file.br ? [{ ...file.br, path: `${file.path} (Brotli)` }] : [])])
    .flatMap((content) => [content, ...(content.index ? [{ ...content.index, path: `${content.path} (index)` }] : [])]);
  return [...new Map(all.map((content) => [content.sha256, content])).values()];
}
