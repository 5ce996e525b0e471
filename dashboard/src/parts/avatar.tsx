/**
 * The first letters of a name. Pictures from other hosts are not loaded, because those hosts would learn who looks
 * when.
 */
export function Avatar({ name, large = false }: { name: string; large?: boolean }) {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...(word ?? "")][0] ?? "")
    .join("");
  return (
    <span class={large ? "avatar large" : "avatar"} aria-hidden="true">
      {letters.toUpperCase()}
    </span>
  );
}
