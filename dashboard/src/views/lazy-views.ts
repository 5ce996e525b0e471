/*
 * The views that few visits need, in one file, so that they are loaded later and together: each file of its own would cut
 * what the first view loads into another part.
 */

export { DeleteAccount } from "./account/delete-account.tsx";
export { ExportAccount } from "./account/export-account.tsx";
export { Storage } from "./account/storage.tsx";
export { AcceptInvitation } from "./members/accept-invitation.tsx";
export { OptionNumbers, OptionTab } from "./option-views.tsx";
export { TakeOffline } from "./projects/delete-project.tsx";
export { History, LatestEvents } from "./projects/history.tsx";
export { SettingsTab } from "./projects/settings.tsx";
export { PublisherDialogs } from "./publishers/publisher-dialogs.tsx";
export { PublishPicked } from "./publishing/publish-picked.tsx";
export { DeleteRelease } from "./releases/delete-release.tsx";
export { ShareLive } from "./share.tsx";
export { RemainingPublishers } from "./tokens/remaining-publishers.tsx";
export { RevokeAll } from "./tokens/revoke-all.tsx";
