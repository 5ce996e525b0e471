// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is source code, with its templates
import { type Mutant, mutantsOf } from "./mutant.ts";

const ledger = "test/long/faults/sweep/ledger";

/** What may be stored, and what is counted of it. */
export const quotaMutants: readonly Mutant[] = [
  ...mutantsOf("functions/table/projects/ledger.ts", "test/api/releases/quota", [
    ["OR ${name} <= ${most})", "OR ${name} <= ${most} OR attribute_exists(PK))", "are checked when"],
    [
      '${isAtMost("usedBytes", ":mostBytes")} AND',
      '(attribute_exists(PK) OR ${isAtMost("usedBytes", ":mostBytes")}) AND',
      "bytes are checked when",
    ],
    [
      'AND ${isAtMost("usedObjects", ":mostObjects")}`',
      'AND (attribute_exists(PK) OR ${isAtMost("usedObjects", ":mostObjects")})`',
      "objects are checked when",
    ],
    [
      "const condition = roomCondition(environment.accountQuota(), more);",
      'const condition = { condition: "attribute_exists(PK) OR attribute_not_exists(PK)" };',
      "the account's",
    ],
  ]),
  ...mutantsOf("functions/table/releases/open-releases.ts", "test/api/releases/quota", [
    [
      "const room = roomCondition(environment.projectQuota(), more);",
      'const room = { condition: "attribute_exists(PK)", values: {} };',
      "the project's",
    ],
    ["    account: countInAccount(ownerKey, more),\n", "", "what is counted"],
  ]),
  ...mutantsOf("functions/table/projects/ledger.ts", ledger, [
    ['staysForGood && { names: { "#ttl": "ttl" }', 'staysForGood && { names: { "#ttl": "another" }', "comes back"],
    ["ownerKey = :owner AND attr", "(attribute_exists(PK) OR ownerKey = :owner) AND attr", "its owner changed"],
    ["AND attribute_not_exists(deleting)", "AND attribute_exists(PK)", "is not set where"],
    [
      'opened === undefined ? "attribute_not_exists(opened)" : "opened = :opened"',
      'opened === undefined ? "attribute_exists(PK)" : "opened = :opened"',
      "is not set where",
    ],
    [
      'opened === undefined ? "attribute_not_exists(opened)" : "opened = :opened"',
      'opened === undefined ? "attribute_not_exists(opened)" : "(attribute_exists(PK) OR opened = :opened)"',
      "is not set where",
    ],
    [
      "        notAnnounced.condition,\n",
      "        `(attribute_exists(PK) OR ${notAnnounced.condition})`,\n",
      "is not set where",
    ],
    [
      "        asCounted.condition,\n",
      "        `(attribute_exists(PK) OR ${asCounted.condition})`,\n",
      "is not set where",
    ],
    ["usedBytes = :usedBytes AND", "(attribute_exists(PK) OR usedBytes = :usedBytes) AND", "is not set where"],
    ["AND usedObjects = :usedObjects", "AND (attribute_exists(PK) OR usedObjects = :usedObjects)", "is not set where"],
    ["more.bytes < 0 || more.objects < 0 ? ledgerExists : undefined", "undefined", "has expired"],
    ['":next": epoch + 1,', '":next": epoch,', "counts again"],
  ]),
  ...mutantsOf("functions/table/projects/endings.ts", ledger, [
    ["usedObjects > 0 ? [keepLedger(ownerKey)] : []", "[]", "restores it"],
  ]),
  ...mutantsOf("functions/table/accounts/deletion.ts", ledger, [
    ["  await expireLedger(key, endOfHistory(now));\n", "", "comes back"],
  ]),
  ...mutantsOf("functions/table/projects/transfers.ts", "test/api/projects/transferred-storage", [
    [
      "const asCounted = asCountedCondition(project);",
      'const asCounted = { condition: "attribute_exists(PK)", values: {} };',
    ],
    ["isCounted ? [countInAccount(toKey, used)] : []", "[]"],
    ["isCounted ? [countOutOfAccount(ownerKey, used)] : []", "[]"],
  ]),
  ...mutantsOf("functions/domain/projects/quota.ts", "test/api/releases/quota", [
    ["used[unit] + more[unit] <= quota[unit]", "used[unit] + more[unit] < quota[unit]", "to the byte"],
    ["used[unit] + more[unit] <= quota[unit]", "used[unit] + more[unit] <= quota[unit] + 1", "to the byte"],
    ["  assertRoomInAccount(ledger, more);\n}", "}", "in the account"],
  ]),
  ...mutantsOf("functions/domain/releases/releases.ts", "test/api/releases/quota", [
    ["  await countObject(opening, packed.byteLength);\n", ""],
    ["await insertRelease(opening, release, amountOf(missing))", "await insertRelease(opening, release, amountOf([]))"],
    ["plus(amountOf(missing), { bytes: packed.byteLength, objects: 1 })", "amountOf(missing)", "without room"],
  ]),
  ...mutantsOf("functions/domain/releases/releases.ts", "test/api/releases/releases", [
    ["return release && isExpired(release, now) ? undefined : release;", "return release;", "expired"],
  ]),
];
