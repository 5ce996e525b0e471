/** What a client accepts, in lower case, and how much (RFC 9110, section 12.4.2): 1 where it does not say; NaN for what is no number. */
export function qualitiesOf(accept: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const part of accept.toLowerCase().split(",")) {
    const [accepted = "", ...parameters] = part.split(";").map((word) => word.trim());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    qualities.set(accepted, quality === undefined ? 1 : Number(quality));
  }
  return qualities;
}
