/** Sends a request with an ID token to the API and returns its response. @throws Error with the API's sentence for a refusal */
export async function postJson(
  url: string,
  idToken: string,
  body: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${idToken}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const result = (await response.json()) as Readonly<Record<string, unknown>>;
  if (!response.ok) throw new Error(`POST ${new URL(url).pathname} failed: ${result["detail"] ?? response.status}`);
  return result;
}
