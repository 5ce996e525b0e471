import { crc32 } from "node:zlib";

/*
 * Secrets as files have them. None was ever valid; they are put together here, so that no scanner finds them in this repository.
 */

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A token of this service with the right checksum. */
export function tokenOf(key: string, random: string): string {
  const body = `pat_${key}${random}`;
  let [rest, checksum] = [crc32(body), ""];
  for (let index = 0; index < 6; index += 1) {
    checksum = `${digits[rest % 62]}${checksum}`;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}

const many = "k9Zq".repeat(20);
const line = many.slice(0, 64);

/** Secrets that a warning tells of, each with a text that has it. */
export const secretCases: readonly (readonly [words: string, text: string])[] = [
  ["a private key", `-----BEGIN ${"PRIVATE"} KEY-----\n${line}\n-----END`],
  ["a private key", `-----BEGIN ${"RSA PRIVATE"} KEY-----\\n${line}\\n`],
  ["a private key", `-----BEGIN ${"OPENSSH PRIVATE"} KEY-----" +\n  "${line}" +`],
  ["a private key", `-----BEGIN ${"PGP PRIVATE"} KEY BLOCK-----\r\n\r\n${line}`],
  ...["ghp", "gho", "ghs", "ghu", "ghr"].map((kind) => ["a token of GitHub", `${kind}_${many.slice(0, 36)}`] as const),
  ["a token of GitHub", `github_${"pat"}_${many.slice(0, 22)}_${many.slice(0, 59)}`],
  ["an access key of AWS", `AKIA${"QWER2345".repeat(2)}`],
  ["an access key of AWS", `ASIA${"QWER2345".repeat(2)}`],
  ["a token of npm", `npm_${many.slice(0, 36)}`],
  ["a token of Slack", `xoxb-${"1234567890"}-${many.slice(0, 24)}`],
  ["a token of Slack", `https://hooks.slack.com/services/${"T0ABC"}/${"B0ABC"}/${many.slice(0, 24)}`],
  [
    "a private key",
    `-----BEGIN ${"RSA PRIVATE"} KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AA11\n\n${line}\n`,
  ],
  ["a private key", `private_key: "-----BEGIN ${"PRIVATE"} KEY-----\\\\n${line}\\\\n"`],
  ["a private key", `AGE-${"SECRET"}-KEY-1${"QWER2345".repeat(8).slice(0, 58)}`],
  ["a token of GitLab", `glp${"at"}-${many.slice(0, 20)}`],
  ["a key of Stripe", `sk_${"live"}_${many.slice(0, 24)}`],
  ["a key of Stripe", `rk_${"live"}_${many.slice(0, 40)}`],
  ["a key of OpenAI", `sk-${"proj"}-${many.slice(0, 74)}T3Blbk${"FJ"}${many.slice(0, 74)}`],
  ["a key of OpenAI", `sk-${many.slice(0, 20)}T3Blbk${"FJ"}${many.slice(0, 20)}`],
  ["a key of Anthropic", `sk-${"ant"}-api03-${many.repeat(2).slice(0, 93)}AA`],
  ["an API key of Google", `AI${"za"}${many.slice(0, 35)}`],
  ["a secret of Google", `GOC${"SPX"}-${many.slice(0, 28)}`],
  ["a token of Discord", `MTIzNDU2Nzg5MDEyMzQ1Njc4.${"GabcdE"}.${many.slice(0, 38)}`],
  ["a token of Discord", `https://discord.com/api/${"webhooks"}/123456789012345678/${many.slice(0, 68)}`],
  ["a token of a Telegram bot", `1234567890:${"AA"}${many.slice(0, 33)}`],
  ["a key of SendGrid", `S${"G"}.${many.slice(0, 22)}.${many.slice(0, 43)}`],
  ["a key of Twilio", `S${"K"}${"0123456789abcdef".repeat(2)}`],
  ["a key of Mailgun", `ke${"y"}-${"0123456789abcdef".repeat(2)}`],
  ["a key of Mailchimp", `${"0123456789abcdef".repeat(2)}-us${"12"}`],
  ["a token of Hugging Face", `h${"f"}_${"aBcDeFgHiJ".repeat(4).slice(0, 34)}`],
  ["a key of Groq", `gs${"k"}_${many.slice(0, 52)}`],
  ["a key of xAI", `xa${"i"}-${many.slice(0, 80)}`],
  ["a key of Perplexity", `ppl${"x"}-${many.slice(0, 48)}`],
  ["a token of Replicate", `r${"8"}_${many.slice(0, 37)}`],
  ["a token of PyPI", `py${"pi"}-AgEIcHlwaS5vcmc${many.slice(0, 80)}`],
  ["a token of RubyGems", `ruby${"gems"}_${"0123456789abcdef".repeat(3)}`],
  ["a key of NuGet", `oy${"2"}${"a1b2c3d4e5".repeat(5).slice(0, 43)}`],
  ["a token of Docker", `dckr_${"pat"}_${many.slice(0, 27)}`],
  ["a token of DigitalOcean", `dop_${"v1"}_${"0123456789abcdef".repeat(4)}`],
  ["a token of Shopify", `shp${"at"}_${"0123456789abcdef".repeat(2)}`],
  ["a token of Sentry", `sntry${"s"}_eyJ${many}${many}`],
  ["a key of Supabase for its whole database", [1, 2, 3].map(serviceRole).join(" ")],
  ["a key of Supabase for its whole database", `sb_${"secret"}_${many.slice(0, 31)}`],
  ["a token of Supabase", `sb${"p"}_${"0123456789abcdef".repeat(3).slice(0, 40)}`],
  ["a key of Azure", `Account${"Key"}=${many}${many.slice(0, 6)}==`],
  ["a token of Databricks", `dap${"i"}${"0123456789abcdef".repeat(2)}`],
  ["a token of Netlify", `nf${"p"}_${many.slice(0, 36)}`],
  ["a key of Heroku", `HRKU-${"AA"}${many.slice(0, 58)}`],
  ["a token of Fly.io", `FlyV1 fm${"2"}_${many}${many}`],
  ["a token of Dropbox", `s${"l"}.${many}${many}`],
  ["a token of Atlassian", `ATAT${"T3x"}${many}${many}`],
  ["a token of Airtable", `pa${"t"}${many.slice(0, 14)}.${"0123456789abcdef".repeat(4)}`],
  ["a token of Notion", `nt${"n"}_12345678901${many.slice(0, 35)}`],
  ["a key of Linear", `lin_${"api"}_${many.slice(0, 40)}`],
  ["a token of Figma", `fig${"d"}_${many.slice(0, 40)}`],
  ["a key of Postman", `PMA${"K"}-${"0123456789abcdef01234567"}-${"0123456789abcdef01".repeat(2).slice(0, 34)}`],
  ["a key of New Relic", `NRA${"K"}-${"QWER2345".repeat(4).slice(0, 27)}`],
  ["a token of Grafana", `gls${"a"}_${many.slice(0, 32)}_0123abcd`],
  ["a token of HashiCorp", `hv${"s"}.${many}${many}`],
  ["a token of Pulumi", `pu${"l"}-${"0123456789abcdef".repeat(3).slice(0, 40)}`],
  ["a token of Doppler", `dp.${"pt"}.${many.slice(0, 43)}`],
  ["a token of PlanetScale", `pscale_${"tkn"}_${many.slice(0, 43)}`],
  ["a token of 1Password", `ops_${"eyJ"}${many}${many}`],
  ["a secret of Square", `sq0${"csp"}-${many.slice(0, 43)}`],
  ["a database's URL with its password", `postgres://game:${"hunter22"}@db.game.io:5432/game`],
  ["a database's URL with its password", `mongodb+srv://admin:${"hunter22"}@cluster0.abcde.mongodb.net`],
  ["a database of accounts", "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT, password_hash TEXT)"],
];

/** A key whose role begins at another place of the Base64. */
function serviceRole(shift: number): string {
  const [header, payload] = [
    { alg: "HS256", typ: "JWT" },
    { ["iss".repeat(shift)]: "supabase", role: "service_role" },
  ];
  const encoded = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  return `${encoded.join(".")}.${many.slice(0, 43)}`;
}
