import * as fs from "node:fs";
import { meaningOf } from "../../../contract/api/releases/store-response.ts";
import { NetworkError } from "../../../contract/api-error.ts";
import { type Patience, type Retry, withRetries } from "../../../contract/retries.ts";
import { UserError } from "../errors.ts";
import { hasErrorCode, systemReason } from "../system-error.ts";
import { fileChanged, mayBeFreeSoon, readFailure } from "./file-failure.ts";
import { type FileBytes, FileChangedError, type FileSender, isFileFailure, type PutResponse } from "./put-file.ts";
import type { UploadUrl } from "./upload-url.ts";

export interface UploadUrls {
  /** Undefined: the service has these bytes by now. */
  of(index: number): Promise<UploadUrl | undefined>;
  /** The store refused the URL: requests a new one at the next `of`. */
  replace(index: number): void;
}

/** A response of the store that is no success. */
class PutRefusal extends Error {
  readonly response: PutResponse;
  constructor(response: PutResponse) {
    const what = response.code ?? (response.status < 300 && !response.isConfirmed ? "without its checksum" : "");
    super(`The store responded with ${`${response.status} ${what}`.trim()}.`);
    this.response = response;
  }
}

export interface UploadWork {
  readonly sender: FileSender;
  readonly signal: AbortSignal;
  /** Undefined: a lost network is retried as any other failure. */
  readonly patience?: Patience;
  onBytes(bytes: number): void;
}

/** Uploads that need few files; so many go on at first if the system lets this process open no more of them. */
const fewFiles = 8;

/** The system lets this process open no more files, and other uploads, which have some, go on. */
export class TooManyFilesError extends Error {
  override readonly name = "TooManyFilesError";
}

interface WholeWork extends UploadWork {
  readonly urls: UploadUrls;
  /** Leaves this upload to others, if more than so many go on. @returns false: it must go on itself */
  leave?(least: number): boolean;
}

/**
 * Sends a file, or a part of it, to the URL with this index, and retries it.
 *
 * @throws TooManyFilesError if it may be left to others; UserError if the file changed or the store refused it; NetworkError if the store cannot be reached
 */
export async function uploadOne(
  file: FileBytes,
  index: number,
  { onBytes, leave, signal, patience, sender, urls }: WholeWork,
): Promise<void> {
  let sent = 0;
  let hasUrl = false;
  let isLeft = false;
  try {
    await withRetries(
      async () => {
        onBytes(-sent);
        sent = 0;
        hasUrl = false;
        const uploadUrl = await urls.of(index);
        hasUrl = true;
        if (uploadUrl === undefined) return onBytes(file.part?.size ?? file.size);
        const response = await sender.put(file, uploadUrl, (bytes) => {
          sent += bytes;
          onBytes(bytes);
        });
        const meaning = meaningOf(response);
        if (meaning === "stored") return;
        if (meaning === "expired") urls.replace(index);
        throw new PutRefusal(response);
      },
      {
        tries: 6,
        patience,
        // No retry without a URL: the client has retried that request already.
        retryFor: (failure) => {
          if (signal.aborted || !hasUrl) return undefined;
          isLeft = isTooManyFiles(failure) && leave?.(fewFiles) === true;
          return isLeft ? undefined : retryFor(failure);
        },
      },
    );
  } catch (failure) {
    onBytes(-sent);
    isLeft ||= !signal.aborted && isTooManyFiles(failure) && leave?.(1) === true;
    if (isLeft) throw new TooManyFilesError();
    throw signal.aborted ? signal.reason : explain(failure, file);
  }
}

/** A socket is a file, too. */
function isTooManyFiles(failure: unknown): boolean {
  return hasErrorCode(failure instanceof NetworkError ? failure.cause : failure, "EMFILE", "ENFILE");
}

function retryFor(failure: unknown): Retry | undefined {
  if (failure instanceof NetworkError) {
    const { isTransient, isLost, message: why } = failure;
    return isTransient ? { why, isLost } : undefined;
  }
  if (isFileFailure(failure)) return mayBeFreeSoon(failure) ? { why: systemReason(failure) } : undefined;
  if (!(failure instanceof PutRefusal)) return undefined;
  if (meaningOf(failure.response) === "refused") return undefined;
  return {
    why: failure.message,
    afterMilliseconds: failure.response.retryAfterMilliseconds,
  };
}

function explain(failure: unknown, file: FileBytes): unknown {
  if (isFileFailure(failure)) return readFailure(failure, file);
  if (failure instanceof FileChangedError || hasChanged(file)) return fileChanged(file);
  if (!(failure instanceof PutRefusal)) return failure;
  return new UserError(`${file.path} could not be uploaded. ${failure.message}`, {
    code: "upload_refused",
    status: failure.response.status,
    next: "Publish again: files that are uploaded already are not sent again.",
  });
}

function hasChanged({ location, size, mtimeMs }: FileBytes): boolean {
  const status = fs.statSync(location, { throwIfNoEntry: false });
  return status === undefined || status.size !== size || status.mtimeMs !== mtimeMs;
}
