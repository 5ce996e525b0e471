import { UserError } from "../errors.ts";
import { hasErrorCode, isSystemError, systemReason } from "../system-error.ts";

const waitForBuild = "Wait until the build is finished, then publish again.";

/** Advice if the operating system does not give a file, by the code of its error. */
const adviceByCode: Readonly<Record<string, string>> = {
  EMFILE: "Allow more open files (ulimit -n 4096), then publish again.",
  ENFILE: "Close other programs, then publish again.",
  EBUSY: "Close the program that uses it, then publish again.",
  EIO: "Its disk is faulty or was removed: copy the folder to another one, then publish again.",
  EACCES: "Make it readable, or exclude it with .svcignore.",
  EPERM: "Make it readable, or exclude it with .svcignore.",
};

export function fileChanged({ path }: { readonly path: string }): UserError {
  return new UserError(`${path} changed while it was sent; the live release stays as it is.`, {
    code: "file_changed",
    next: waitForBuild,
  });
}

/** Why a file could not be read that was there when the folder was read: it was removed, or the system refuses it. Any other failure is returned as it is. */
export function readFailure(failure: unknown, { path }: { readonly path: string }): unknown {
  if (!isSystemError(failure)) return failure;
  // The file is a link now, which was none.
  if (hasErrorCode(failure, "ELOOP")) return fileChanged({ path });
  if (hasErrorCode(failure, "ENOENT"))
    return new UserError(`${path} was removed after the folder was read; the live release stays as it is.`, {
      code: "file_changed",
      next: waitForBuild,
    });
  return new UserError(`${path} cannot be read: ${systemReason(failure)}; the live release stays as it is.`, {
    code: "file_unreadable",
    next: adviceByCode[failure.code ?? ""] ?? "Publish again.",
  });
}

/** Whether another program or upload may give the file free soon. */
export function mayBeFreeSoon(failure: unknown): boolean {
  return hasErrorCode(failure, "EMFILE", "ENFILE", "EBUSY", "EAGAIN");
}
