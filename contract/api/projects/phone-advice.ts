/** Why a phone that scans the code of a URL does not get there, and the way; undefined for a URL that it finds. */
export function phoneAdvice(url: string): string | undefined {
  const { hostname, port } = new URL(url);
  if (!hostname.endsWith(".localhost")) return undefined;
  return `A phone does not find ${hostname}, which is this machine. An Android phone on a cable does after adb reverse tcp:${port} tcp:${port}; for others start the service with SVC_HOST (docs/local.md).`;
}
