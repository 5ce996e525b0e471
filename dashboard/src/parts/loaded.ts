import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../messages.ts";

/** Something that a view reads when it is shown. */
export interface Loaded<T> {
  /** Undefined until it is there. */
  readonly value: T | undefined;
  /** Why it could not be read the last time. */
  readonly problem: string | undefined;
}

/** Reads something when the view is shown, and again when one of `inputs` changes: until then what was read before stays. */
export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    let isWanted = true;
    setProblem(undefined);
    load().then(
      (found) => isWanted && setValue(() => found),
      (error) => isWanted && setProblem(messageOf(error)),
    );
    return () => {
      isWanted = false;
    };
  }, inputs);
  return { value, problem };
}
