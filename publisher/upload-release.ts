import { ApiError } from "../contract/api-error.ts";
import type { Client, ResponseBody } from "../contract/client.ts";
import { allKnownBytes } from "../contract/folder/known-parts.ts";
import type { ReleaseParams } from "./going-live.ts";
import type { UploadContent } from "./ports.ts";
import { type Progress, tallyOf } from "./progress.ts";
import type { ReleaseBody } from "./release.ts";
import { type UploadOptions, uploadAll } from "./upload.ts";

export type OpenedRelease = ResponseBody<"createRelease">;

/** Opens a release, or finds the open one of the same files; a dry run says what it would change. @throws ApiError */
export async function openRelease(client: Client, slug: string, body: ReleaseBody): Promise<OpenedRelease> {
  return await client.call("POST /projects/:slug/releases", { params: { slug }, creates: true, body });
}

/** Bytes that are sent, and those of the same files that the service has in others. */
export interface Amount {
  readonly sent: number;
  readonly known: number;
}

export interface ReleaseUpload<File extends UploadContent, Made>
  extends Pick<UploadOptions<File>, "client" | "known" | "patience" | "openSender"> {
  readonly params: ReleaseParams;
  readonly body: ReleaseBody;
  readonly opened: OpenedRelease;
  readonly progress: Progress;
  /** The files of these hashes; undefined: there are none any more, so that this is another release. */
  filesOf(missing: ReadonlySet<string>): Promise<readonly File[] | undefined>;
  /** Makes it live, or opens its preview. */
  activate(): Promise<Made>;
}

/** Uploads of one release: the first, and two more of what the service says is missing still. */
const rounds = 3;

/**
 * Uploads what the service lacks of a release and activates it. If the service then says that files are missing still, uploads those
 * again, twice at most.
 *
 * @returns undefined if it is another release by now
 */
export async function uploadRelease<File extends UploadContent, Made>(upload: ReleaseUpload<File, Made>) {
  const { client, params, body, opened } = upload;
  let { missing, first_uploads: first } = opened;
  let amount: Amount = { sent: 0, known: 0 };
  for (let round = 1; ; round += 1) {
    const files = await upload.filesOf(new Set(missing));
    if (files === undefined) return undefined;
    const { sent, known } = await uploadFiles({ ...upload, files, first });
    amount = { sent: amount.sent + sent, known: amount.known + known };
    try {
      return { amount, made: await upload.activate() };
    } catch (failure) {
      const isIncomplete = failure instanceof ApiError && failure.code === "release_incomplete";
      if (!isIncomplete || round >= rounds) throw failure;
    }
    ({ missing, first_uploads: first } = await openRelease(client, params.slug, body));
  }
}

type FilesUpload<File extends UploadContent> = Omit<UploadOptions<File>, "onKnown" | "onBytes" | "onFile"> & {
  readonly progress: Progress;
};

async function uploadFiles<File extends UploadContent>(upload: FilesUpload<File>): Promise<Amount> {
  const { files, known, progress } = upload;
  if (files.length === 0) return { sent: 0, known: 0 };
  const { bytes } = tallyOf(files);
  let stored = 0;
  progress.start("Uploading", { files: files.length, bytes: bytes - allKnownBytes(files, known) });
  try {
    await uploadAll({
      ...upload,
      onKnown: (some, expected) => {
        stored += some;
        if (some < expected) progress.grow?.(expected - some);
      },
      onBytes: (more) => progress.add({ files: 0, bytes: more }),
      onFile: () => progress.add({ files: 1, bytes: 0 }),
    });
  } finally {
    progress.end();
  }
  return { sent: bytes - stored, known: stored };
}
