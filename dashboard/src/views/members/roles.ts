import type { Project, ProjectRole, PublicProfile } from "../../resources.ts";

/** Name of each role, and what its holder can do. */
export const rolesInWords: Readonly<Record<ProjectRole, { readonly title: string; readonly can: string }>> = {
  owner: { title: "Owner", can: "do everything, and are responsible for it" },
  admin: {
    title: "Admin",
    can: "do what a publisher can, delete releases, and change settings, members and the CI jobs that may publish",
  },
  publisher: { title: "Publisher", can: "publish releases, show previews, and take the game offline" },
};

/** Whether the person can change what only the owner and admins can. What they see is not what protects it: the API is. */
export function isAdmin({ role }: Project): boolean {
  return role === "owner" || role === "admin";
}

export function nameOf(profile: Pick<PublicProfile, "name" | "display_name"> | null): string {
  return profile === null ? "Somebody whose account is deleted" : (profile.display_name ?? profile.name);
}
