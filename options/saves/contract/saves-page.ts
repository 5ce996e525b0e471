/** URL path, in a game's own origin, of the page that moves a player's saved games. */
export const savesPagePath = "/.well-known/svc/saves";

/** Path below which the page sends and fetches what is sealed; the site's key follows. */
export const savesLinksPath = `${savesPagePath}/`;
