import type { Edge } from "../resources.ts";
import { Notice } from "./notice.tsx";

/** Says that a change has happened and players do not see it yet, where that is so. */
export function EdgeNotice({ edge }: { edge: Edge }) {
  if (edge !== "waiting") return null;
  return (
    <Notice kind="note">
      This is done, but players do not see it yet: the hosts where games are played do not have it. svc goes on trying.
    </Notice>
  );
}
