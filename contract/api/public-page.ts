/** Where a game's own origin has the page about it, for people and for the cards of other sites. */
export const publicPagePath = "/.well-known/svc/about";
