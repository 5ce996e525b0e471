import { counted } from "../../format.ts";
import type { Invitation, Project, ProjectRole, PublicProfile } from "../../resources.ts";

/** Name of each role, and what its holder can do. */
export const rolesInWords: Readonly<Record<ProjectRole, { readonly title: string; readonly can: string }>> = {
  owner: { title: "Owner", can: "do everything, and are responsible for it" },
  admin: {
    title: "Admin",
    can: "do what a publisher can, delete releases, and change settings, members and the CI jobs that may publish",
  },
  publisher: { title: "Publisher", can: "publish releases, show previews, and take the game offline" },
  viewer: {
    title: "Viewer",
    can: "see releases, previews, performance and statistics, and change nothing",
  },
};

/** The roles that a person can be invited to, from the one with the most rights. */
export const memberRoles = ["admin", "publisher", "viewer"] as const;

/** What an invitation asks a person to do with a project, which stands after who invites and before its name. */
export function invitedTo(role: ProjectRole): string {
  return { owner: "wants you to take over", viewer: "invites you to see" }[role as string] ?? "invites you to work on";
}

/** To how much an invitation or a team is beside one project: "and 3 more projects, and to those to come". */
export function moreInWords({ more_projects: more, future }: Pick<Invitation, "more_projects" | "future">): string {
  const others = more.length > 0 ? ` and ${counted(more.length, "more project")}` : "";
  return `${others}${future ? `${others && ","} and those to come` : ""}`;
}

/** Whether the person can change anything of a project but their own membership. */
export function isPublisher({ role }: Project): boolean {
  return role !== "viewer";
}

/** Whether the person can change what only the owner and admins can. What they see is not what protects it: the API is. */
export function isAdmin({ role }: Project): boolean {
  return role === "owner" || role === "admin";
}

export function nameOf(profile: Pick<PublicProfile, "name" | "display_name"> | null): string {
  return profile === null ? "Somebody whose account is deleted" : (profile.display_name ?? profile.name);
}
