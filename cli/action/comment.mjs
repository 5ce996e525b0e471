/*
 * The comment on a pull request that says where its preview is played: one for each project, brought up to date by later runs.
 */

/**
 * @returns a warning if there is no comment: the preview is there, so this is no error
 */
export async function comment({ number, token, url, project, release, expiresAt, table = "", isEnded = false }) {
  const marker = `<!-- svc preview of ${project} -->`;
  const expires = expiresAt ? ` It expires on ${expiresAt.slice(0, 10)}.` : "";
  const link = `[Play the preview of ${project}](${url}), release \`${release}\`.${expires}${table && `\n${table}`}`;
  const body = `${marker}\n${isEnded ? `The preview of ${project} is deleted: the pull request is closed.` : link}`;
  const api = process.env.GITHUB_API_URL || "https://api.github.com";
  const comments = `${api}/repos/${process.env.GITHUB_REPOSITORY}/issues`;
  try {
    const own = await ownComment(`${comments}/${Number(number)}/comments`, token, marker);
    if (own) await send("PATCH", `${comments}/comments/${own.id}`, token, { body });
    else if (!isEnded) await send("POST", `${comments}/${Number(number)}/comments`, token, { body });
    return undefined;
  } catch (error) {
    return `The pull request has no comment: ${error.message}. The token needs the permission pull-requests: write.`;
  }
}

/** Only a bot's: anybody can write the marker into a comment of their own. */
async function ownComment(comments, token, marker) {
  for (let page = 1; page <= 10; page += 1) {
    const list = await send("GET", `${comments}?per_page=100&page=${page}`, token);
    const own = list.find(({ body, user }) => user?.type === "Bot" && body?.startsWith(marker));
    if (own || list.length < 100) return own;
  }
  return undefined;
}

async function send(method, url, token, content) {
  const headers = {
    accept: "application/vnd.github+json",
    authorization: `Bearer ${token}`,
    "user-agent": "svc-publish-action",
    "x-github-api-version": "2022-11-28",
    ...(content && { "content-type": "application/json" }),
  };
  const body = content && JSON.stringify(content);
  const response = await fetch(url, { method, headers, body, redirect: "error", signal: AbortSignal.timeout(20_000) });
  if (!response.ok) throw new Error(`GitHub responded with ${response.status}`);
  return await response.json();
}
