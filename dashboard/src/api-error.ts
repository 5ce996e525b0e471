import type { ErrorCode } from "../../contract/api/errors.ts";
import type { Problem } from "../../contract/api/problem.ts";

/** The API refused, or could not be reached. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode | "unreachable";
  readonly places: readonly { pointer: string; detail: string }[];

  constructor(problem: Pick<Problem, "detail" | "errors"> & { code: ApiError["code"] }) {
    super(problem.detail);
    this.code = problem.code;
    this.places = problem.errors ?? [];
  }

  /** Problem with one field of the request. */
  at(pointer: string): string | undefined {
    return this.places.find((place) => isWithin(place.pointer, pointer))?.detail;
  }
}

/** Whether a JSON Pointer is another one, or leads into what that one means. */
export function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}
