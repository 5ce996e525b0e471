/*
 * The views that few visits need, in one file, so that they are loaded later and together: each file of its own would cut
 * what the first view loads into another part.
 */
export { AcceptOffer } from "./accept-offer.tsx";
export { AddPublisher } from "./add-publisher.tsx";
export { DeleteAccount } from "./end-account.tsx";
export { DeleteProject, UnpublishProject } from "./end-project.tsx";
export { ExportAccount } from "./export-account.tsx";
export { OfferProject } from "./offer-project.tsx";
export { PublishPicked } from "./publish-picked.tsx";
export { RevokeAll } from "./revoke-all.tsx";
export { Storage } from "./storage.tsx";
export { WithdrawRelease } from "./withdraw-release.tsx";
