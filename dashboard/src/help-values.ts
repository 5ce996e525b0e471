import type { Configuration } from "./configuration.ts";

/** A text of the documents with a stage's own URLs in the place of those that they invent. @param origin the dashboard's */
export function withValues(text: string, { api, games }: Pick<Configuration, "api" | "games">, origin: string): string {
  const named = text.replaceAll("https://api.svc.example", api).replaceAll("https://dashboard.svc.example", origin);
  if (games === undefined) return named;
  return named
    .replaceAll("https://my-game.<games domain>/", games.replace("{slug}", "my-game"))
    .replaceAll("<games domain>", new URL(games.replace("{slug}", "x")).host.slice("x.".length));
}
