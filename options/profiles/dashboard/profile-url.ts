/** The dashboard's URL of a profile, beside another one if it is given. */
export function profileUrl(slug: string, id: string, other?: string): string {
  return `/projects/${slug}/performance/${id}${other === undefined ? "" : `?with=${other}`}`;
}
