import { ApiError } from "../../../../contract/api-error.ts";
import type { Edge } from "../../resources.ts";

/** The ends of a dialog that changes what is live. */
export interface ChangeProps {
  /** @param edge whether players see it by now */
  readonly onDone: (edge: Edge) => Promise<void>;
  /** Another release has gone live since the page was read. */
  readonly onOutdated: () => Promise<void>;
  readonly onCancel: () => void;
}

const outdated: readonly ApiError["code"][] = ["current_release_changed", "release_live"];

/**
 * A change that expects a certain release to be live, or not to be. If that is not so, the page is read again, so that the
 * person sees it before they decide again.
 *
 * @throws ApiError
 */
export async function unlessOutdated<T>(change: Promise<T>, onOutdated: () => Promise<void>): Promise<T> {
  try {
    return await change;
  } catch (error) {
    if (error instanceof ApiError && outdated.includes(error.code)) await onOutdated();
    throw error;
  }
}
