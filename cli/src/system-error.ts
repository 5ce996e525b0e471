import { getSystemErrorMap } from "node:util";

/** What the operating system refuses: no permission, a full disk, a folder that vanished. */
export function isSystemError(failure: unknown): failure is NodeJS.ErrnoException {
  return failure instanceof Error && "syscall" in failure && "errno" in failure;
}

export function hasErrorCode(failure: unknown, ...codes: string[]): boolean {
  return isSystemError(failure) && codes.includes(failure.code ?? "");
}

/** Why, in the system's own words: "permission denied (EACCES)". */
export function systemReason(failure: unknown): string {
  if (!isSystemError(failure)) return String(failure);
  const [name, words] = getSystemErrorMap().get(failure.errno ?? 0) ?? [failure.code, failure.message];
  return `${words} (${name})`;
}
