/**
 * Qualities of the values that a client accepts: each value in lower case, and how much it is accepted (RFC 9110, section
 * 12.4.2): 1 if the client does not say; NaN for what is not a number. The result is no Map, because CloudFront's runtime has
 * none.
 */
export function qualitiesOf(accept: string): Readonly<Record<string, number | undefined>> {
  const qualities: Record<string, number> = {};
  accept
    .toLowerCase()
    .split(",")
    .forEach((part) => {
      const words = part.split(";").map((word) => word.trim());
      const quality = words.find((word) => word.startsWith("q="));
      qualities[words[0] || ""] = quality ? Number(quality.slice(2)) : 1;
    });
  return qualities;
}

/** Whether an encoding is accepted, and not less than the bytes as they are (RFC 9110, section 12.5.3). */
export function acceptsEncoding(acceptEncoding: string, encoding: "br" | "dcz" | "gzip"): boolean {
  const qualities = qualitiesOf(acceptEncoding);
  const quality = qualities[encoding] ?? qualities["*"] ?? 0;
  return quality > 0 && quality >= (qualities["identity"] ?? 0);
}
