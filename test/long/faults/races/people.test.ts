import { describe, expect } from "@jest/globals";
import { actorsOf } from "../../../support/service/actors.ts";
import { addMember } from "../../../support/service/operations.ts";
import { useOwner, useRecordedService } from "../../../support/service/suite.ts";
import { exploreBetweenRequests } from "../between-requests.ts";

/*
 * Members and invitations are written as a whole: none of two changes may be lost, or undo the other.
 */
const service = useRecordedService();
const actors = actorsOf(service);
const ada = useOwner(service);
const path = () => `/projects/${ada.slug}`;

let [grace, mary, link] = ["", "", ""];
const prepare = async () => {
  const invited = await ada.post(`${path()}/invitations`, { role: "publisher" });
  link = invited.body.id;
  for (let joined = 0; joined < 2; joined += 1) await addMember(ada, ada.slug, await actors.developer(), "publisher");
  const { members } = (await ada.get(`${path()}/members`)).body;
  [grace, mary] = [members[1].id, members[2].id];
};

const read = ["BatchGetItem", "the caller and the project are read"] as const;
const write = ["TransactWriteItems", "the people are written"] as const;
const readAccount = ["BatchGetItem", "the member's account is read"] as const;

const changeRole = {
  run: () => ada.patch(`${path()}/members/${grace}`, { role: "admin" }),
  requests: [read, write, readAccount],
};
const remove = { run: () => ada.delete(`${path()}/members/${mary}`), requests: [read, write] };
const invite = { run: () => ada.post(`${path()}/invitations`, { role: "admin" }), requests: [read, write] };
const withdraw = { run: () => ada.delete(`${path()}/invitations/${link}`), requests: [read, write] };

describe.each([
  [
    "a role changes, a member is removed",
    changeRole,
    remove,
    { roles: ["owner", "admin"], invitations: ["publisher"] },
  ],
  [
    "a role changes, somebody is invited",
    changeRole,
    invite,
    { roles: ["owner", "admin", "publisher"], invitations: ["admin", "publisher"] },
  ],
  [
    "a member is removed, an invitation is withdrawn",
    remove,
    withdraw,
    { roles: ["owner", "publisher"], invitations: [] },
  ],
  [
    "somebody is invited, an invitation is withdrawn",
    invite,
    withdraw,
    { roles: ["owner", "publisher", "publisher"], invitations: ["admin"] },
  ],
])("both happen: %s", (_, { run, requests }, meanwhile, expected) => {
  exploreBetweenRequests({
    service,
    requests,
    prepare,
    run,
    meanwhile: meanwhile.run,
    check: async () => {
      const { members, invitations } = (await ada.get(`${path()}/members`)).body;
      const roles = (all: { role: string }[]) => all.map(({ role }) => role);
      expect({ roles: roles(members), invitations: roles(invitations).toSorted() }).toEqual(expected);
    },
  });
});
