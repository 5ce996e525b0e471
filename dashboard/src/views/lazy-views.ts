/*
 * The views that few visits need, in one file, so that they are loaded later and together: each file of its own would cut
 * what the first view loads into another part.
 */

export { ShownToast } from "../parts/toast.tsx";
export { Unsaved } from "../parts/unsaved.tsx";
export { DeleteAccount } from "./account/delete-account.tsx";
export { Events } from "./account/events.tsx";
export { ExportAccount } from "./account/export-account.tsx";
export { Storage } from "./account/storage.tsx";
export { CommandPalette } from "./command-palette.tsx";
export { ShownInvitation } from "./login/shown-invitation.tsx";
export { AcceptInvitation } from "./members/accept-invitation.tsx";
export { People } from "./members/people.tsx";
export { OptionTab } from "./option-views.tsx";
export { TakeOffline } from "./projects/delete-project.tsx";
export { readEarly } from "./projects/early-reads.ts";
export { History } from "./projects/history.tsx";
export { ListChanges } from "./projects/list-changes.tsx";
export { DeletedProject, MoreProjects } from "./projects/more-projects.tsx";
export { Overview } from "./projects/overview.tsx";
export { ProjectChanges } from "./projects/project-changes.tsx";
export { ProjectForm } from "./projects/project-form.tsx";
export { SettingsTab } from "./projects/settings.tsx";
export { PublishPicked } from "./publishing/publish-picked.tsx";
export { DeleteRelease } from "./releases/delete-release.tsx";
export { EditNotes } from "./releases/edit-notes.tsx";
export { MakeLive } from "./releases/make-live.tsx";
export { ReleasePage } from "./releases/release-page.tsx";
export { ReleasesTab } from "./releases/releases-tab.tsx";
export { ShareLive } from "./share.tsx";
export { RemainingPublishers } from "./tokens/remaining-publishers.tsx";
export { ReplaceToken } from "./tokens/replace-token.tsx";
export { RevokeAll } from "./tokens/revoke-all.tsx";
export { RevokeToken } from "./tokens/revoke-token.tsx";
