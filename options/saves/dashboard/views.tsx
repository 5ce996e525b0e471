import type { OptionViews } from "../../../dashboard/src/option.ts";
import { savesPagePath } from "../contract/saves-page.ts";

/** Where players find the page that moves what they have saved. */
function MoveSaves({ url }: { url: string }) {
  return (
    <p class="hint">
      Players take their saved games to another device on the game’s{" "}
      <a href={new URL(savesPagePath, url).href} target="_blank" rel="noreferrer">
        page for saved games
      </a>
      . Link it in the game: <code>{savesPagePath}</code>
    </p>
  );
}

export const saves: OptionViews = {
  name: "saves",
  Switch: {
    name: "saves",
    label: "Players can move their saved games",
    hint: "A page on the game’s own address saves them to a file and loads them in another browser.",
  },
  Share: MoveSaves,
};
