import { comparablePlays, latestUpdate, type ReleasePlays } from "../../../../contract/api/plays.ts";
import { number } from "../../format.ts";
import type { Statistics } from "../../resources.ts";

/** What of a release's plays is compared, as rows of a table. */
const comparedPlays: readonly (readonly [title: string, of: (release: ReleasePlays) => string])[] = [
  ["Plays", ({ plays }) => number(plays)],
  ["Failed requests per 100 plays", ({ errorsPer100Plays }) => number(errorsPer100Plays, 1)],
  ["First byte", ({ firstByteMilliseconds }) => `${number(firstByteMilliseconds)} ms`],
];

/** The latest release beside the one before it; nothing if one of them has few plays. */
export function UpdateEffect({ days }: { days: Statistics["days"] }) {
  const update = latestUpdate(days);
  if (update === undefined) return null;
  const { of, before } = update;
  return (
    <section>
      <h2 class="section">What update #{of.release.number} did</h2>
      <table class="comparison">
        <thead>
          <tr>
            <td />
            <th scope="col">#{before.release.number}</th>
            <th scope="col">#{of.release.number}</th>
          </tr>
        </thead>
        <tbody>
          {comparedPlays.map(([title, textOf]) => (
            <tr key={title}>
              <th scope="row">{title}</th>
              <td>{textOf(before)}</td>
              <td>{textOf(of)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="hint">
        First byte: from a request for the game’s first page to the first byte of the response, on average. Releases
        with fewer than {comparablePlays} plays in these days are not compared.
      </p>
    </section>
  );
}
