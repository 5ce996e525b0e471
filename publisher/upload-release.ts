import { ApiError } from "../contract/api-error.ts";
import type { Client, RequestBody, ResponseBody } from "../contract/client.ts";
import { allKnownBytes } from "../contract/folder/known-parts.ts";
import { type Activation, activate, type Destination } from "./going-live.ts";
import type { UploadContent } from "./ports.ts";
import { type Progress, tallyOf } from "./progress.ts";
import type { ReleaseBody } from "./release.ts";
import { type UploadOptions, uploadAll } from "./upload.ts";
import { madeBytes, packingOf } from "./upload-packs.ts";

export type OpenedRelease = ResponseBody<"createRelease">;

/** Opens a release, or finds the open one of the same files; a dry run says what it would change. @throws ApiError */
export async function openRelease(
  client: Client,
  slug: string,
  body: RequestBody<"createRelease">,
): Promise<OpenedRelease> {
  return await client.call("POST /projects/:slug/releases", { params: { slug }, creates: true, body });
}

/** Bytes that are sent, and those of the same files that the service has in others. */
export interface Amount {
  readonly sent: number;
  readonly known: number;
}

export interface ReleaseUpload<File extends UploadContent>
  extends Pick<UploadOptions<File>, "client" | "known" | "patience" | "openSender"> {
  readonly slug: string;
  readonly body: ReleaseBody;
  readonly opened: OpenedRelease;
  readonly progress: Progress;
  /** The files of these hashes; undefined: there are none any more, so that this is another release. */
  filesOf(missing: ReadonlySet<string>): Promise<readonly File[] | undefined>;
  readonly destination: Destination;
  /** The most that a small file without a Brotli copy has which goes in a pack. */
  readonly maxPlainBytes?: number;
  /** Called when the release is about to be activated: from here on it cannot be stopped. */
  onActivation?(): void;
}

/** Uploads of one release: the first, and two more of what the service says is missing still. */
const rounds = 3;

/**
 * Uploads what the service lacks of a release and activates it. If the service then says that files are missing still, uploads those
 * again, twice at most.
 *
 * @returns undefined if it is another release by now
 */
export async function uploadRelease<File extends UploadContent>(
  upload: ReleaseUpload<File>,
): Promise<{ readonly amount: Amount; readonly activation: Activation } | undefined> {
  const { client, slug, body, opened, destination } = upload;
  const params = { slug, id: idOf(opened) };
  let { missing, first_uploads: first } = opened;
  let amount: Amount = { sent: 0, known: 0 };
  for (let round = 1; ; round += 1) {
    const files = await upload.filesOf(new Set(missing));
    if (files === undefined) return undefined;
    const { sent, known } = await uploadFiles({ ...upload, params, files, first });
    amount = { sent: amount.sent + sent, known: amount.known + known };
    try {
      upload.onActivation?.();
      return { amount, activation: await activate(client, params, destination) };
    } catch (failure) {
      const isIncomplete = failure instanceof ApiError && failure.code === "release_incomplete";
      if (!isIncomplete || round >= rounds) throw failure;
    }
    ({ missing, first_uploads: first } = await openRelease(client, slug, body));
  }
}

/**
 * Bytes that a publication sends.
 *
 * @param given.known those of parts that the service has in other files
 * @param given.maxPlainBytes as its {@link ReleaseUpload} has it
 */
export function bytesToSend(
  { missing, bytes_to_send: all }: OpenedRelease,
  body: ReleaseBody,
  { known, maxPlainBytes }: { readonly known: number } & Pick<ReleaseUpload<UploadContent>, "maxPlainBytes">,
): number {
  return all - known - madeBytes(missing, body.files, maxPlainBytes);
}

/** The id of the release that was opened. */
export function idOf({ release }: OpenedRelease): string {
  if (release !== null) return release.id;
  throw new ApiError({ code: "unexpected_response", status: 200, detail: "The API opened no release." });
}

type FilesUpload<File extends UploadContent> = Omit<
  UploadOptions<File>,
  "onKnown" | "onBytes" | "onMore" | "onFile" | "packs"
> & {
  readonly progress: Progress;
  readonly body: ReleaseBody;
  readonly maxPlainBytes?: number | undefined;
};

async function uploadFiles<File extends UploadContent>(upload: FilesUpload<File>): Promise<Amount> {
  const { known, progress, body, maxPlainBytes } = upload;
  if (upload.files.length === 0) return { sent: 0, known: 0 };
  const { packs, single: files } = packingOf(upload.files, body.files, maxPlainBytes);
  let bytes = tallyOf([...files, ...packs]).bytes;
  let stored = 0;
  progress.start("Uploading", { files: upload.files.length, bytes: bytes - allKnownBytes(files, known) });
  try {
    await uploadAll({
      ...{ ...upload, files, packs },
      onKnown: (some, expected) => {
        stored += some;
        if (some < expected) progress.grow?.(expected - some);
      },
      onBytes: (more) => progress.add({ files: 0, bytes: more }),
      onMore: (more) => {
        bytes += more;
        progress.grow?.(more);
      },
      onFile: () => progress.add({ files: 1, bytes: 0 }),
    });
  } finally {
    progress.end();
  }
  return { sent: bytes - stored, known: stored };
}
