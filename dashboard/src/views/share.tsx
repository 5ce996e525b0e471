import { encodeQR } from "qr";
import { phoneAdvice } from "../../../contract/api/projects/phone-advice.ts";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { readBeginning } from "../../../publisher/beginning.ts";
import { useDashboard } from "../dashboard.ts";
import { Copy } from "../parts/copy.tsx";
import { type Loaded, useLoaded } from "../parts/loaded.ts";
import { Problem } from "../parts/notice.tsx";
import { ShareButton } from "../parts/share-button.tsx";
import { Embed } from "./embed.tsx";
import { OptionShare } from "./option-views.tsx";

interface ShareProps {
  /** URL of the game or a preview of it. */
  readonly url: string;
  readonly name: string;
  /** Settings of the release; undefined until they are known. */
  readonly settings: Pick<ReleaseSettings, "frame" | "isolation"> | undefined;
}

/** {@link Share} of what is live. */
export function ShareLive({ slug, ...shared }: Omit<ShareProps, "settings"> & { readonly slug: string }) {
  const settings = useLiveSettings(slug);
  return (
    <>
      <Share {...shared} settings={settings.value} />
      <OptionShare url={shared.url} />
      <Problem of={settings} />
    </>
  );
}

/** The settings of the release that is live. */
function useLiveSettings(slug: string): Loaded<ReleaseSettings | undefined> {
  const { api } = useDashboard();
  return useLoaded(async () => (await readBeginning(api, slug)).live, [api, slug]);
}

/** Everything by which a person gives a game to others: its URL, a QR code, the browser's own sheet, and code for another page. */
export function Share({ url, name, settings }: ShareProps) {
  return (
    <div class="share">
      <p class="poster-name" dir="auto">
        {name}
      </p>
      <Copy text={url} label="the URL" />
      <div class="share-row">
        <QrCode of={url} />
        <div>
          <p class="hint">{phoneAdvice(url) ?? "Point a phone’s camera at it to play there."}</p>
          <ShareButton url={url} title={name} />
        </div>
      </div>
      {settings && <Embed {...{ url, name, settings }} />}
    </div>
  );
}

/** Black on white also in the dark, which some cameras need, with four modules of quiet around it (ISO/IEC 18004). */
export function QrCode({ of: text }: { of: string }) {
  const rows = encodeQR(text, "raw", { ecc: "low", border: 4 });
  const size = rows.length;
  const modules = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code of the URL"
      shape-rendering="crispEdges"
    >
      <path d={modules.join("")} />
    </svg>
  );
}
