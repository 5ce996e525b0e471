/** Where a game's own origin has the page that measures the game; a telemetry grant is in the URL's fragment. */
export const profilePagePath = "/.well-known/svc/profile";
