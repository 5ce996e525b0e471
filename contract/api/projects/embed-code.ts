import type { Isolation } from "../releases/release-settings.ts";

/** What a frame lets a game use beside {@link alwaysAllowed}, if the person who makes the frame wants it. */
export const framePermissions = [
  { features: ["accelerometer", "gyroscope"], words: "Tilt and motion of the device" },
  { features: ["xr-spatial-tracking"], words: "Virtual reality (WebXR)" },
  { features: ["midi"], words: "MIDI instruments" },
  { features: ["microphone"], words: "Microphone" },
  { features: ["camera"], words: "Camera" },
  { features: ["clipboard-write"], words: "Copy to the clipboard" },
  { features: ["web-share"], words: "The device’s share sheet" },
  { features: ["screen-wake-lock"], words: "Keep the screen on" },
] as const satisfies readonly { readonly features: readonly string[]; readonly words: string }[];

export type FrameFeature = (typeof framePermissions)[number]["features"][number];

/** Isolation needs `cross-origin-isolated`; for other games it changes nothing. */
export const alwaysAllowed = ["autoplay", "fullscreen", "gamepad", "cross-origin-isolated"] as const;

/** Shapes of a frame, and its size if a site removes `style`. */
const frameShapes = { "16:9": [960, 540], "4:3": [720, 540], "1:1": [540, 540], "9:16": [360, 640] } as const;

export type FrameShape = keyof typeof frameShapes;
export const frameShapeNames = Object.keys(frameShapes) as FrameShape[];

/** Wishes of the person who makes a frame. */
export interface FrameWishes {
  readonly shape?: FrameShape;
  readonly features?: readonly FrameFeature[];
  /** The game gets the keyboard when it has loaded; else when the player clicks into it. */
  readonly hasKeyboard?: boolean;
}

/**
 * The HTML of a frame for another page: as wide as its place, without border, loaded when it comes into view, with the permissions that
 * games ask of a frame (https://www.w3.org/TR/permissions-policy/#iframe-allow-attribute).
 *
 * @param name any text: it cannot leave its attribute
 */
export function embedCode(
  url: string,
  name: string,
  { shape = "16:9", features = [], hasKeyboard = false }: FrameWishes = {},
): string {
  const title = name.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const [width, height] = frameShapes[shape];
  const style = `border:0;width:100%;height:auto;aspect-ratio:${shape.replace(":", "/")}`;
  const onload = hasKeyboard ? ` onload="this.focus()"` : "";
  const allow = [...alwaysAllowed, ...features].join("; ");
  return `<iframe src="${url}" title="${title}" width="${width}" height="${height}" style="${style}" loading="lazy" allow="${allow}"${onload}></iframe>`;
}

/**
 * Advice on what the page around the frame must do; undefined if nothing. A frame is isolated only if every page around it is
 * (HTML, "cross-origin isolated").
 */
export function embedAdvice(isolation: Isolation): string | undefined {
  if (isolation === false) return undefined;
  return (
    "Its threads start only on a page that is isolated too, by the headers Cross-Origin-Opener-Policy: same-origin and " +
    "Cross-Origin-Embedder-Policy: require-corp. On any other page, put a link to the game instead."
  );
}
