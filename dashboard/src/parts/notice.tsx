import type { ComponentChildren } from "preact";

/** A sentence that must not be missed; a problem is read out at once by a screen reader. */
export function Notice({ kind, children }: { kind: "problem" | "done" | "note"; children: ComponentChildren }) {
  return (
    <div class={`notice ${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** The problem with the last request of a form, a button or a view, if there was one. */
export function Problem({ of: { problem } }: { of: { readonly problem: string | undefined } }) {
  return problem === undefined ? null : <Notice kind="problem">{problem}</Notice>;
}
