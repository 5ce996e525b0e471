import { useEffect } from "preact/hooks";
import type { Edge, Project } from "../resources.ts";
import type { Selection } from "./protocol.ts";

/** Process in which a person publishes to a project. It goes on while they look at other views. */
export interface Publishing {
  /** Another selection for the same project has another one. */
  readonly id: string;
  /** Undefined for a game whose project is made once its files were accepted. */
  readonly project: Project | undefined;
  readonly picked: Selection;
  /** It has gone live, or is a preview: another one may take its place. */
  readonly isOver: boolean;
}

/** All of them, at most one of each project, and one of a new game. */
export interface PublishingList {
  readonly publishing: readonly Publishing[];
  /** Starts one. */
  publish(project: Project | undefined, picked: Selection): void;
  /** Its project is made. */
  adopt(id: string, project: Project): void;
  /** It is over, but what it made is still shown. */
  finish(id: string): void;
  /** It is closed, or cancelled. */
  drop(id: string): void;
}

const changed = "svc:releases-changed";

interface Change {
  readonly slug: string;
  readonly edge: Edge | undefined;
}

/** Tells the view of a project, if it is shown, that its releases may be others now. @param edge if one went live, whether players see it */
export function announceReleases(slug: string, edge?: Edge): void {
  dispatchEvent(new CustomEvent<Change>(changed, { detail: { slug, edge } }));
}

/** Calls `onChanged` if what is published elsewhere on the page changes the releases of a project. @param slug undefined: of any project */
export function useReleasesChanged(slug: string | undefined, onChanged: (edge: Edge | undefined) => void): void {
  useEffect(() => {
    const hear = (event: Event) => {
      const { detail } = event as CustomEvent<Change>;
      if (slug === undefined || detail.slug === slug) onChanged(detail.edge);
    };
    addEventListener(changed, hear);
    return () => removeEventListener(changed, hear);
  });
}
