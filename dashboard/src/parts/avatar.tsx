import { useEffect, useRef, useState } from "preact/hooks";

interface PictureProps {
  /** Its classes, which give it a size before it is loaded. */
  readonly look: string;
  readonly name: string;
  readonly src: string | null | undefined;
  readonly alt: string;
  /** Number of retries if a picture cannot be loaded, each after twice as long. */
  readonly retries?: number;
}

const firstPauseMilliseconds = 2_000;

/** A picture, or the first letters of a name if there is none or it cannot be loaded. Its host does not learn the page. */
function Picture({ look, name, src, alt, retries = 0 }: PictureProps) {
  const [failed, setFailed] = useState<string>();
  const retried = useRef(0);
  useEffect(() => {
    if (failed === undefined || retried.current >= retries) return;
    const again = () => {
      retried.current += 1;
      setFailed(undefined);
    };
    const timer = setTimeout(again, firstPauseMilliseconds * 2 ** retried.current);
    return () => clearTimeout(timer);
  }, [failed]);
  if (src && src !== failed)
    return (
      <img
        class={look}
        src={src}
        alt={alt}
        loading="lazy"
        decoding="async"
        referrerpolicy="no-referrer"
        onError={() => setFailed(src)}
      />
    );
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...(word ?? "")][0] ?? "")
    .join("");
  return (
    <span class={look} aria-hidden="true">
      {letters.toUpperCase()}
    </span>
  );
}

interface AvatarProps {
  readonly name: string;
  /**
   * Only the person's own picture: the host of somebody else's would learn who looks when
   * (docs/decisions/0033-the-dashboards-host.md#what-the-dashboard-gives-out-the-command-lines-package-the-persons-own-picture).
   */
  readonly ownPicture?: string | null;
  readonly large?: boolean;
}

/** A person's picture, or the first letters of the name. */
export function Avatar({ name, ownPicture, large = false }: AvatarProps) {
  return <Picture look={large ? "avatar large" : "avatar"} name={name} src={ownPicture} alt="" />;
}

interface GamePictureProps {
  readonly project: { readonly name: string; readonly picture_url: string | null };
  readonly size?: "large" | "cover" | "review";
  /** The picture's name is beside it already. */
  readonly isDecoration?: true;
}

/** A game's picture, from its own host, which the service runs, and which may get a release some seconds after it went live. */
export function GamePicture({ project: { name, picture_url: url }, size, isDecoration }: GamePictureProps) {
  const look = size ? `picture ${size}` : "picture";
  return <Picture look={look} name={name} src={url} alt={isDecoration ? "" : `Picture of ${name}`} retries={3} />;
}
