import { encodeQR } from "qr";
import { embedAdvice, embedCode } from "../../../contract/api/projects/embed-code.ts";
import { phoneAdvice } from "../../../contract/api/projects/phone-advice.ts";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { beginning } from "../../../publisher/beginning.ts";
import { useDashboard } from "../dashboard.ts";
import { Button } from "../parts/button.tsx";
import { Copy } from "../parts/copy.tsx";
import { useSubmission } from "../parts/form.ts";
import { type Loaded, useLoaded } from "../parts/loaded.ts";
import { Problem } from "../parts/notice.tsx";

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
      <Problem of={settings} />
    </>
  );
}

/** The settings of the release that is live. */
export function useLiveSettings(slug: string): Loaded<ReleaseSettings | undefined> {
  const { api } = useDashboard();
  return useLoaded(async () => (await beginning(api, slug)).live, [api, slug]);
}

/** Everything by which a person gives a game to others: its URL, a QR code, the browser's own sheet, and code for another page. */
export function Share({ url, name, settings }: ShareProps) {
  const submission = useSubmission();
  const share = () =>
    submission.run(async () => {
      await navigator.share({ title: name, url }).catch((error: unknown) => {
        // The person has closed the sheet.
        if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
      });
    });
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
          {"share" in navigator && <Button onClick={share}>Share…</Button>}
        </div>
      </div>
      <Problem of={submission} />
      {settings && <Embed {...{ url, name, settings }} />}
    </div>
  );
}

/** Embed code, if the release's settings permit it: code that no page may use would show an empty frame. */
export function Embed({
  url,
  name,
  settings,
}: ShareProps & { readonly settings: NonNullable<ShareProps["settings"]> }) {
  const { frame, isolation } = settings;
  const advice = embedAdvice(isolation);
  if (frame === "nobody") return <p class="hint">Its settings let no other page show it.</p>;
  return (
    <>
      <p class="label">To show it on another page</p>
      <Copy text={embedCode(url, name)} label="the embed code" />
      {advice && <p class="hint">{advice}</p>}
      {frame !== "everybody" && <p class="hint">Only these sites may: {frame.join(", ")}.</p>}
    </>
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
