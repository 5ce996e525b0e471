import { useLayoutEffect, useState } from "preact/hooks";
import { ApiError } from "../../../contract/api-error.ts";
import { messageOf } from "../messages.ts";

/** A request that a form or a button sends: whether it is under way and what was wrong with the last one. */
export interface Submission {
  readonly busy: boolean;
  readonly problem: string | undefined;
  /** Problem with one field, by its JSON Pointer; a problem that no field asks for is part of `problem`. */
  fieldError(pointer: string): string | undefined;
  /** Runs `work`, never twice at the same time; a failure is kept for the form to show. */
  run(work: () => Promise<void>): Promise<void>;
  /** A handler that does so when a form is sent, in place of the browser's own request. */
  onSubmit(work: () => Promise<void>): (event: Event) => Promise<void>;
}

export function useSubmission(): Submission {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [problem, setProblem] = useState<string>();
  const fields = new Set<string>();
  // After the fields are drawn: each of them has asked for its error by then.
  useLayoutEffect(() => setProblem(error === undefined ? undefined : messageOf(error, fields)), [error]);
  const run = async (work: () => Promise<void>) => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    problem,
    fieldError: (pointer) => {
      fields.add(pointer);
      return error instanceof ApiError ? error.at(pointer) : undefined;
    },
    run,
    onSubmit: (work) => (event) => {
      event.preventDefault();
      return run(work);
    },
  };
}
