import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../messages.ts";

/** Something that a view reads when it is shown. */
export interface Loaded<T> {
  /** Undefined until it is there. */
  readonly value: T | undefined;
  /** Why it could not be read the last time. */
  readonly problem: string | undefined;
  /** Reads it again. It never rejects. */
  reload(): Promise<void>;
}

/** Reads something when the view is shown, and again when one of `inputs` changes: until then what was read before stays. */
export function useLoaded<T>(load: () => Promise<T>, inputs: readonly unknown[]): Loaded<T> {
  const [value, setValue] = useState<T>();
  const [problem, setProblem] = useState<string>();
  const last = useRef<object | undefined>(undefined);
  const reload = async () => {
    const reading = {};
    last.current = reading;
    setProblem(undefined);
    const show = (found: () => void) => last.current === reading && found();
    await load().then(
      (found) => show(() => setValue(() => found)),
      (error) => show(() => setProblem(messageOf(error))),
    );
  };
  useEffect(() => {
    void reload();
    return () => {
      last.current = undefined;
    };
  }, inputs);
  return { value, problem, reload };
}
