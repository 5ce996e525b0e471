import { useEffect } from "preact/hooks";
import type { Client } from "../../contract/client.ts";
import type { Project } from "./resources.ts";

/** A project as its people see it, with their role and the suspension; undefined if it is none of the person's. */
export async function readOwnProject(client: Client, slug: string): Promise<Project | undefined> {
  const { projects } = await client.call("GET /projects", { query: { slug } });
  return projects[0];
}

/** All projects of the person: their own, and the active ones that they are a member of. */
export async function allProjects(
  client: Client,
  state: "active" | "deleted" = "active",
  cursor?: string,
): Promise<readonly Project[]> {
  const page = await client.call("GET /projects", { query: { state, cursor } });
  return page.next_cursor === null
    ? page.projects
    : [...page.projects, ...(await allProjects(client, state, page.next_cursor))];
}

const announced = "svc:project-changed";

/** Tells the views of a project that it was changed elsewhere: by somebody else, a token or a CI job, or in another window. */
export function announceProject(slug: string): void {
  dispatchEvent(new CustomEvent(announced, { detail: slug }));
}

/** Calls `onChanged` then. */
export function useProjectChanged(slug: string, onChanged: () => void): void {
  useEffect(() => {
    const hear = (event: Event) => {
      if ((event as CustomEvent<string>).detail === slug) onChanged();
    };
    addEventListener(announced, hear);
    return () => removeEventListener(announced, hear);
  });
}
