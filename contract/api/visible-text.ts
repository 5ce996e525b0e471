/*
 * Text that is shown as the name of somebody or something must look like what it is: two different names must not look the
 * same because of characters that nobody sees.
 */

/**
 * Characters that a reader does not see, or that change the order of the characters around them: Unicode's control and format
 * characters, line and paragraph separators, default-ignorable characters, and the blank of Braille. Kept (group 1) are joiners
 * inside words of scripts that need them and inside emoji, and the selectors that make a sign an emoji (UTS #51).
 */
const hidden =
  /((?<=[\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}]|\uFE0F)(?<!\p{Script=Latin})(?:\u200C|\u200D)(?=[\p{L}\p{Extended_Pictographic}])|(?<=\p{Extended_Pictographic})(?:\uFE0E|\uFE0F)|(?<=[0-9#*])\uFE0F(?=\u20E3))|[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Whether a text contains a hidden character, also a control character. */
export function hasHiddenCharacters(text: string): boolean {
  return withoutHiddenCharacters(text) !== text;
}

/** A text without its hidden characters; a space stands for each control character. */
export function withoutHiddenCharacters(text: string): string {
  return text.replace(hidden, (found, kept?: string) => kept ?? (/\p{Cc}/u.test(found) ? " " : ""));
}
