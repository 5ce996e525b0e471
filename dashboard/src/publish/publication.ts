import type { Client } from "../../../contract/client.ts";
import type { Advice } from "../../../contract/folder/advice.ts";
import { allKnownBytes, type KnownParts } from "../../../contract/folder/known-parts.ts";
import { type Activation, activateRelease, type Destination, ReleaseReplaced } from "../../../publisher/going-live.ts";
import { adviceBesideLive } from "../../../publisher/live-advice.ts";
import { Refused } from "../../../publisher/refused.ts";
import { type NewRelease, type ReleaseBody, releaseBody } from "../../../publisher/release.ts";
import {
  type Amount,
  bytesToSend,
  type OpenedRelease,
  openRelease,
  uploadRelease,
} from "../../../publisher/upload-release.ts";
import { explainRefusal } from "./offers.ts";
import type { NamedContent, PreparedFolder } from "./protocol.ts";
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
  /** Likely mistakes beside what is live. */
  readonly advice: readonly Advice[];
}

/** @throws ApiError */
export async function compared({ api, slug, prepared, knownOf }: Publication): Promise<ComparedRelease> {
  const body = bodyOf(prepared, { isDryRun: true });
  const opened = await openRelease(api, slug, body);
  const knownBytes = allKnownBytes(contentsOf(prepared.files), await knownOf(opened));
  const sent = bytesToSend(opened, body, { known: knownBytes });
  const advice = await adviceBesideLive({ client: api, slug }, { ...prepared, withDeltas: new Set() }, opened);
  return { ...opened, advice, amount: { sent, known: knownBytes } };
}

export interface Sending extends Waiting {
  readonly destination: Destination;
  readonly message: string;
  onSent(sent: { readonly bytes: number; readonly totalBytes: number }): void;
}

/** A release whose files the service has, and that players see. */
export interface UploadedRelease {
  readonly amount: Amount;
  readonly activation: Activation;
}

/**
 * Opens the release, or goes on with the open one of the same files, uploads what is missing, and makes it live or opens its preview.
 *
 * @throws Refusal, ApiError, or the signal's reason
 */
export async function upload(
  { slug, prepared, bytesOf, knownOf, api }: Publication,
  { message, onSent, destination, ...waiting }: Sending,
): Promise<UploadedRelease> {
  const patience = patienceOf(waiting);
  const client = api.withPatience(patience);
  const said = message.trim();
  const body = bodyOf(prepared, said === "" ? {} : { description: { message: said } });
  const opened = await openRelease(client, slug, body);
  const known = await knownOf(opened);
  waiting.signal.throwIfAborted();
  const contents = contentsOf(prepared.files);
  let [bytes, totalBytes] = [0, 0];
  const uploaded = await uploadRelease({
    ...{ client, slug, body, opened, known, patience, destination },
    openSender: (signal) => createSender({ bytesOf, patience }, signal),
    filesOf: async (missing) => contents.filter(({ sha256 }) => missing.has(sha256)),
    progress: {
      start: (_, total) => {
        [bytes, totalBytes] = [0, total.bytes];
        onSent({ bytes, totalBytes });
      },
      add: (done) => {
        bytes += done.bytes;
        onSent({ bytes, totalBytes });
      },
      grow: (more) => {
        totalBytes += more;
      },
      end: () => {},
    },
  }).catch(explainReplaced);
  if (uploaded === undefined) throw new Error("The files are others by now");
  return uploaded;
}

/**
 * Makes it live.
 *
 * @param current the release that is live now, as the person saw it; null: none
 * @throws Refusal if it went live and does not live any more; ApiError
 */
export async function goLive(
  { api, slug }: Publication,
  id: string,
  current: string | null,
  waiting: Waiting,
): Promise<Activation> {
  const client = api.withPatience(patienceOf(waiting));
  return await activateRelease(client, { slug, id }, { expectCurrent: current }).catch(explainReplaced);
}

function explainReplaced(failure: unknown): never {
  if (!(failure instanceof ReleaseReplaced)) throw failure;
  throw new Refusal("It went live while the connection was lost, and something else has taken its place since.");
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
function contentsOf(files: PreparedFolder["files"]): NamedContent[] {
  const all = files
    .flatMap((file) => [file, ...(file.br ? [{ ...file.br, path: `${file.path} (Brotli)` }] : [])])
    .flatMap((content) => [content, ...(content.index ? [{ ...content.index, path: `${content.path} (index)` }] : [])]);
  return [...new Map(all.map((content) => [content.sha256, content])).values()];
}
