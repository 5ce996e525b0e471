import { useState } from "preact/hooks";

interface AvatarProps {
  readonly name: string;
  /**
   * Only the person's own picture: the host of somebody else's would learn who looks when
   * (docs/decisions/0044-what-the-dashboard-gives-out.md).
   */
  readonly own?: string | null;
  readonly large?: boolean;
}

/** A picture, or the first letters of a name where there is none or it cannot be loaded. */
export function Avatar({ name, own, large = false }: AvatarProps) {
  const [failed, setFailed] = useState<string>();
  const look = large ? "avatar large" : "avatar";
  if (own && own !== failed)
    return <img class={look} src={own} alt="" referrerpolicy="no-referrer" onError={() => setFailed(own)} />;
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
