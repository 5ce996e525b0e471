/*
 * Fixed forms of secrets: prefixes and lengths that their issuers document. Only forms that nothing else has are here. A text is read once;
 * only a word that begins or ends as a form does is compared with the forms, whose repetitions are bounded, so time is linear in the text.
 */

/** Letters, digits, and what URL-safe Base64 has beside them. */
const url64 = "[0-9A-Za-z_-]";
const alnum = "[0-9A-Za-z]";
const hex = "[0-9a-f]";
/** Base64 of `service_role` at the three places where it can begin, without the letters that its neighbours change. */
const serviceRole = "(?:c2VydmljZV9yb2xl|NlcnZpY2Vfcm9sZ|zZXJ2aWNlX3JvbG)";
/** Quotes, line ends and what else source code has between the lines of a key, and the headers of an encrypted one (RFC 1421). */
const betweenLines =
  "(?:\\\\{1,4}[nr]|[\\s\"'`+,]|Proc-Type: 4,ENCRYPTED|DEK-Info: [0-9A-Z-]{1,20},[0-9A-Fa-f]{1,64}){0,99}";
/** Passwords and hosts of examples. */
const examplePassword = "(?!(?:password|passwd|pass|pwd|secret|example|changeme|xxx+|\\*+|\\.+)@|[$<{%\\[])";
const exampleHost = "(?!localhost|127\\.|0\\.0\\.0\\.0|\\[?::1|example\\.|host\\b|hostname\\b|server\\b|[$<{%])";
const credentials = `[^\\s:@/"'\`]{1,100}:${examplePassword}[^\\s:@/"'\`]{1,200}@${exampleHost}`;

/** What somebody has, as the object of "contains", and the expressions of its forms. */
const forms: Readonly<Record<string, readonly string[]>> = {
  // With bytes behind it, because libraries that read keys have the first line alone.
  "a private key": [
    `(?<=-----)BEGIN (?:[A-Z]{1,20} )?PRIVATE KEY(?: BLOCK)?-----${betweenLines}[0-9A-Za-z+/]{40}`,
    `AGE-SECRET-KEY-1[0-9A-Z]{58}`,
  ],
  "a token of GitHub": [`gh[oprsu]_${alnum}{36}`, `github_pat_${alnum}{22}_${alnum}{59}`],
  // Keys that documents show as examples end in EXAMPLE.
  "an access key of AWS": ["A[KS]IA[A-Z2-7]{16}(?<!EXAMPLE)(?![0-9A-Za-z+/])"],
  "a token of npm": [`npm_${alnum}{36}(?!${alnum})`],
  "a token of Slack": [
    `xox[abeoprs]-\\d{6,20}-[0-9A-Za-z-]{10}`,
    `xapp-\\d-[0-9A-Z]{5,20}-\\d{6,20}-${hex}{32}`,
    "hooks\\.slack\\.com/services/T\\w{1,20}/B\\w{1,20}/\\w{20}",
  ],
  "a token of GitLab": [`gl(?:pat|ptt|rt|dt|cbt|oas|soat|imt|ft|agent)-${url64}{20}`],
  "a key of Stripe": [`[rs]k_(?:live|test)_${alnum}{24}`, `whsec_${alnum}{32}`],
  "a key of OpenAI": [`sk-(?:(?:proj|svcacct|admin)-(?:${url64}{58}|${url64}{74})|${alnum}{20})T3BlbkFJ${url64}{20}`],
  "a key of Anthropic": [`sk-ant-(?:api|admin|oat|ort)\\d\\d-${url64}{80}`],
  // Pages that use Firebase have its key beside the names of their project, for everybody.
  "an API key of Google": [`AIza${url64}{35}(?!${url64})(?![\\s\\S]{0,200}(?:authDomain|firebaseapp|firebaseio))`],
  "a secret of Google": [`GOCSPX-${url64}{28}`, `ya29\\.${url64}{60}`],
  // The first part is a number of 17 to 20 digits in Base64.
  "a token of Discord": [
    `(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5}[MNO][DTjz]${alnum}{2,6}\\.${url64}{6}\\.${url64}{27}`,
    `discord(?:app)?\\.com/api/(?:v\\d{1,2}/)?webhooks/\\d{17,20}/${url64}{60}`,
  ],
  "a token of a Telegram bot": [`\\d{8,10}:AA${url64}{33}(?!${url64})`],
  "a key of SendGrid": [`SG\\.${url64}{22}\\.${url64}{43}`],
  "a key of Twilio": [`SK${hex}{32}(?!${alnum})`],
  "a key of Mailgun": [`key-${hex}{32}(?!${alnum})`],
  "a key of Mailchimp": [`${hex}{32}-us\\d{1,2}(?!${alnum})`],
  "a token of Hugging Face": ["(?:hf|api_org)_[A-Za-z]{34}(?![0-9A-Za-z_])"],
  "a key of Groq": [`gsk_${alnum}{52}`],
  "a key of xAI": [`xai-${alnum}{80}`],
  "a key of Perplexity": [`pplx-${alnum}{48}`],
  "a token of Replicate": [`r8_${alnum}{37}(?!${alnum})`],
  "a token of PyPI": [`pypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)${url64}{50}`],
  "a token of RubyGems": [`rubygems_${hex}{48}`],
  "a key of NuGet": ["oy2[a-z0-9]{43}(?![0-9A-Za-z])"],
  "a token of Docker": [`dckr_[op]at_${url64}{27}`],
  "a token of DigitalOcean": [`do[opr]_v1_${hex}{64}`],
  "a token of Shopify": [`shp(?:at|ca|pa|ss|ua)_[0-9A-Fa-f]{32}`],
  "a token of Sentry": [`sntrys_eyJ[0-9A-Za-z+/=_-]{80}`, `sntryu_${hex}{64}`],
  "a key of Supabase for its whole database": [
    `eyJ${url64}{10,100}\\.eyJ${url64}{0,500}?${serviceRole}`,
    `sb_secret_${url64}{22}`,
  ],
  "a token of Supabase": [`sbp_${hex}{40}`],
  "a key of Azure": ["AccountKey=[0-9A-Za-z+/]{86}=="],
  "a token of Databricks": [`dapi${hex}{32}(?!${alnum})`],
  "a token of Netlify": [`nfp_${alnum}{36}`],
  "a key of Heroku": [`HRKU-AA${url64}{50}`],
  "a token of Fly.io": ["fm2_[0-9A-Za-z+/]{100}"],
  "a token of Dropbox": [`sl\\.(?:u\\.)?${url64}{130}`],
  "a token of Atlassian": [`ATATT3x${url64}{100}`],
  "a token of Airtable": [`pat${alnum}{14}\\.${hex}{64}`],
  "a token of Notion": [`ntn_\\d{11}${alnum}{35}`],
  "a key of Linear": [`lin_(?:api|oauth)_${alnum}{32}`],
  "a token of Figma": [`fig[dou]_${url64}{40}`],
  "a key of Postman": [`PMAK-${hex}{24}-${hex}{34}`],
  "a key of New Relic": ["NRAK-[0-9A-Z]{27}"],
  "a token of Grafana": [`glsa_${alnum}{32}_[0-9A-Fa-f]{8}`, "glc_eyJ[0-9A-Za-z+/]{60}"],
  "a token of HashiCorp": [`hv[sbr]\\.${url64}{90}`, `${alnum}{14}\\.atlasv1\\.${url64}{60}`],
  "a token of Pulumi": [`pul-${hex}{40}`],
  "a token of Doppler": [`dp\\.(?:pt|st|ct|sa|scim|audit)\\.${url64}{40}`],
  "a token of PlanetScale": [`pscale_(?:tkn|pw|oauth)_${url64}{32}`],
  "a token of 1Password": ["ops_eyJ[0-9A-Za-z+/=]{100}"],
  "a secret of Square": [`sq0csp-${url64}{43}`],
  "a database's URL with its password": [
    `(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\\+srv)?|rediss?|amqps?|mssql|sqlserver|clickhouse)://${credentials}`,
  ],
  // With a column for one of these: a game's own data has none.
  "a database of accounts": [
    `CREATE TABLE [^(]{1,80}\\([^;]{0,300}\\b(?:e_?mail|password|passwd|pwhash|session_?(?:token|key)|access_?token)`,
  ],
};

const words = Object.keys(forms);
const anyForm = new RegExp(words.map((name) => `(${forms[name]?.join("|")})`).join("|"), "y");

const wordCharacters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** The first three or four characters of each form that has fixed ones: a word that begins otherwise is not compared with the forms. */
const heads = new Set([
  ..."gho_ ghp_ ghr_ ghs_ ghu_ gith AKIA ASIA npm_ xoxa xoxb xoxe xoxo xoxp xoxr xoxs xapp hook".split(" "),
  ..."glpa glpt glrt gldt glcb gloa glso glim glft glag sk_l sk_t rk_l rk_t whse sk- AIza GOCS ya29 disc".split(" "),
  ..."SG. key- hf_ api_ gsk_ xai- pplx r8_ pypi ruby oy2 dckr dop_ dor_ doo_ shpa shpc shps shpu sntr eyJ".split(" "),
  ..."sb_s sbp_ Acco dapi nfp_ HRKU fm2_ sl. ATAT ntn_ lin_ figd figo figu PMAK NRAK glsa glc_".split(" "),
  ..."hvs. hvb. hvr. pul- dp. psca ops_ sq0c post mysq mari mong redi amqp mssq sqls clic CREA AGE- BEGI".split(" "),
  ...[..."0123456789abcdef"].map((digit) => `SK${digit}`),
  // Base64 of three digits.
  ...["M", "N", "O"].flatMap((first) =>
    ["D", "T", "j", "z"].flatMap((second) => [..."AEIMQUYcgk"].map((third) => first + second + third)),
  ),
]);
/** Whether a head may begin with three bytes: a table, because a text has as many words as a sixth of its bytes. */
const beginnings = new Uint8Array(1 << 15);
const headNumbers = new Set<number>();
for (const head of heads) {
  const bytes = new TextEncoder().encode(head);
  beginnings[placeOf(bytes, 0)] = 1;
  headNumbers.add(head.length === 3 ? numberOf(bytes, 0) : numberOf(bytes, 0) * 256 + (bytes[3] ?? 0));
}

/** Three bytes as a number. */
function numberOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}

function placeOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) * 997 + (bytes[at + 1] as number) * 131 + (bytes[at + 2] as number)) & 0x7fff;
}

const isWordByte = Uint8Array.from({ length: 256 }, (_, code) =>
  Number(wordCharacters.includes(String.fromCharCode(code))),
);

/** More bytes than the longest form has. */
export const longestForm = 2_048;

/** What a text has of the forms, as objects of "contains"; each is named once. */
export function secretsIn(bytes: Uint8Array): Set<string> {
  const kinds = new Set<string>();
  let [start, wasWord] = [0, 0];
  // No form is as short as the three bytes that are looked at.
  for (let at = 0; at < bytes.length - 2; at += 1) {
    const isWord = isWordByte[bytes[at] as number] as number;
    if (isWord === wasWord) continue;
    wasWord = isWord;
    if (isWord === 1) {
      start = at;
      if (beginnings[placeOf(bytes, at)] === 1 && hasHead(bytes, at)) compare(bytes, at, kinds);
    } else if (at - start >= 8 && endsHead(bytes, at, at - start)) compare(bytes, start, kinds);
  }
  return kinds;
}

/** Characters before a form that its expression looks at. */
const bytesBefore = 5;

function compare(bytes: Uint8Array, at: number, kinds: Set<string>): void {
  const from = Math.max(0, at - bytesBefore);
  anyForm.lastIndex = at - from;
  const match = anyForm.exec(new TextDecoder("latin1").decode(bytes.subarray(from, at + longestForm)));
  if (match !== null) kinds.add(words[match.findIndex((value, index) => index > 0 && value !== undefined) - 1] ?? "");
}

const dash = "-".charCodeAt(0);
const point = ".".charCodeAt(0);
const colon = ":".charCodeAt(0);

function isAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text.charCodeAt(index)) return false;
  return true;
}

function hasHead(bytes: Uint8Array, at: number): boolean {
  const three = numberOf(bytes, at);
  return headNumbers.has(three) || headNumbers.has(three * 256 + (bytes[at + 3] ?? 0));
}

/** Forms whose first part has no fixed characters: its length and what follows tell. */
function endsHead(bytes: Uint8Array, end: number, length: number): boolean {
  const code = bytes[end];
  if (code === dash) return length === 32 && isAt(bytes, end, "-us");
  if (code === point) return length === 17 || (length === 14 && isAt(bytes, end, ".atlasv1"));
  return code === colon && length <= 10 && isAt(bytes, end, ":AA");
}
