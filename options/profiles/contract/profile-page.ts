/** URL path, in a game's own origin, of the page that measures the game; a telemetry grant is in the URL's fragment. */
export const profilePagePath = "/.well-known/svc/profile";
