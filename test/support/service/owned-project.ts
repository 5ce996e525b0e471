import { accountKey, keys } from "../../../functions/table/keys.ts";
import { setAttribute, storedItem } from "../table/stored.ts";
import type { Actor, Person } from "./actors.ts";
import type { Owner } from "./operations.ts";
import type { TestService } from "./service.ts";

/** Helpers by which tests read and change a stored project, and read the accounts of its people. */
export function ownedProject(service: TestService, owner: Owner) {
  const keyOf = ({ uid }: Person) => accountKey(service.issuer, uid);
  return {
    keyOf,
    project: () => storedItem(service, keys.project(owner.slug)),
    account: (person: Person) => storedItem(service, keys.account(keyOf(person))),
    set: (attribute: string, value: unknown) => setAttribute(service, keys.project(owner.slug), attribute, value),
  };
}

/** The code of a refusal, else the status. */
export async function outcome(sent: ReturnType<Actor["get"]>): Promise<string | number> {
  const { status, body } = await sent;
  return body?.code ?? status;
}

/** Invitations to the owner's project: making and accepting one. */
export function invitationsOf(owner: Owner) {
  const path = () => `/projects/${owner.slug}/invitations`;
  return {
    invite: async (role: string, to?: Person, by: Actor = owner) =>
      (await by.post(path(), { role, ...(to && { to: to.uid }) })).body,
    accept: (person: Actor, { id, secret }: { id: string; secret: string | null }) =>
      person.post(`${path()}/${id}/acceptance`, secret === null ? undefined : { secret }),
  };
}
