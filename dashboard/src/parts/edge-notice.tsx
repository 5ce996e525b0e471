import type { Edge } from "../resources.ts";
import { Notice } from "./notice.tsx";

/** Says that players do not see a change yet, if that is so. */
export function EdgeNotice({ edge }: { edge: Edge }) {
  if (edge !== "waiting") return null;
  return (
    <Notice kind="note">
      This is done, but players do not see it yet: the hosts where games are played do not have it. The service keeps
      retrying; you need not do anything.
    </Notice>
  );
}
