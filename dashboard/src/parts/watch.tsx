import { useEffect, useRef, useState } from "preact/hooks";
import type { Client } from "../../../contract/client.ts";
import { useDashboard } from "../dashboard.ts";
import { messageOf } from "../messages.ts";
import { Notice } from "./notice.tsx";

const intervalMilliseconds = 15_000;
/** After failures the interval doubles up to this many times: 4 minutes. */
const maxDoublings = 4;

/**
 * Asks the service for changes that others have made: every 15 seconds while the page is in sight, and when the person comes back to it.
 * It never asks them to sign in. While a dialog is open nothing is asked: what the person decides about does not change under it.
 *
 * @param check makes the requests
 * @returns why it could not be asked the last two times
 */
export function useWatch(check: (client: Client) => Promise<void>): string | undefined {
  const { api } = useDashboard();
  const [problem, setProblem] = useState<string>();
  const latest = useRef(check);
  latest.current = check;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let failures = 0;
    let isAsking = false;
    let isOver = false;
    const ask = async (isPresent: boolean) => {
      const client = await api.unasked(isPresent);
      if (client) await latest.current(client);
    };
    const run = async (isPresent: boolean) => {
      if (isAsking) return;
      clearTimeout(timer);
      isAsking = true;
      const isDeciding = document.querySelector("dialog[open]") !== null;
      if (document.visibilityState === "visible" && !isDeciding)
        await ask(isPresent).then(
          () => {
            failures = 0;
            setProblem(undefined);
          },
          (error: unknown) => {
            failures += 1;
            // One that fails alone is a network that was away for a moment.
            if (failures > 1) setProblem(messageOf(error));
          },
        );
      isAsking = false;
      if (!isOver) timer = setTimeout(run, intervalMilliseconds * 2 ** Math.min(failures, maxDoublings), false);
    };
    const comeBack = () => void run(true);
    timer = setTimeout(run, intervalMilliseconds, false);
    addEventListener("focus", comeBack);
    document.addEventListener("visibilitychange", comeBack);
    return () => {
      isOver = true;
      clearTimeout(timer);
      removeEventListener("focus", comeBack);
      document.removeEventListener("visibilitychange", comeBack);
    };
  }, [api]);
  return problem;
}

/** Says that changes are not shown now. @param text what {@link useWatch} returns */
export function WatchProblem({ text }: { readonly text: string | undefined }) {
  return text === undefined ? null : <Notice kind="note">Changes that others make are not shown now: {text}</Notice>;
}
