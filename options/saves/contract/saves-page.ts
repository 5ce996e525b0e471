/** URL path, in a game's own origin, of the page that moves a player's saved games. */
export const savesPagePath = "/.well-known/svc/saves";
