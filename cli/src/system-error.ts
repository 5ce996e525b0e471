import { getSystemErrorMap, types } from "node:util";

/** Whether the operating system refused something: no permission, a full disk, a removed folder. */
export function isSystemError(failure: unknown): failure is NodeJS.ErrnoException {
  return types.isNativeError(failure) && "syscall" in failure && "errno" in failure;
}

export function hasErrorCode(failure: unknown, ...codes: string[]): boolean {
  return isSystemError(failure) && codes.includes(failure.code ?? "");
}

/** The system's own description: "permission denied (EACCES)". */
export function systemReason(failure: unknown): string {
  if (!isSystemError(failure)) return String(failure);
  const [name, words] = getSystemErrorMap().get(failure.errno ?? 0) ?? [failure.code, failure.message];
  return `${words} (${name})`;
}
