/** An element with text, which is escaped. */
export function text(name: string, content: string | number | boolean): string {
  return element(
    name,
    String(content).replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`),
  );
}

/** An element with other elements. */
export function element(name: string, ...contents: readonly string[]): string {
  return `<${name}>${contents.join("")}</${name}>`;
}
