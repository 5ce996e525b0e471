/** URL path, in a game's own origin, of the page about it, for people and for link previews of other sites. */
export const publicPagePath = "/.well-known/svc/about";
