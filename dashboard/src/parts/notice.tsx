import type { ComponentChildren } from "preact";
import type { Submission } from "./form.ts";

/** A sentence that must not be missed; a problem is read out at once by a screen reader. */
export function Notice({ kind, children }: { kind: "problem" | "done" | "note"; children: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** Problem with the last request of a form or a button, if there was one. */
export function Problem({ of: { problem } }: { of: Submission }) {
  return problem === undefined ? null : <Notice kind="problem">{problem}</Notice>;
}
