/** How to publish without `svc`, at the top of the reference's page about releases. */
export const uploadStory = `## With curl

A release is published in four steps: open it with the list of its files, ask for upload URLs, send the bytes that the service does not
have yet, make it live. On one machine, where \`npm start\` runs, from an empty shell:

\`\`\`sh
API=http://127.0.0.1:8787 WORK=$(mktemp -d) FILE=examples/bounce/index.html
member() { node -p "JSON.parse(require('fs').readFileSync(0)).$1"; }

# A developer, a token in a file that only you can read (other users see the arguments of programs), and a project.
printf 'Authorization: Bearer %s\\n' "$(npm run --silent id-token -- --uid ada --email ada@example.test --name Ada)" > $WORK/session
curl -sf -X POST $API/auth/session -H @$WORK/session -H "Content-Type: application/json" -d '{"role": "dev"}'
curl -sf -X POST $API/tokens -H @$WORK/session -H "Content-Type: application/json" -d '{"name": "curl", "scopes": ["publish", "projects"]}' > $WORK/token.json
printf 'Authorization: Bearer %s\\n' "$(member token < $WORK/token.json)" > $WORK/token
curl -sf -X POST $API/projects -H @$WORK/token -H "Content-Type: application/json" -d '{"slug": "curl-game"}'

# 1. Open a release: the path, length and SHA-256 of each file. The response names what is missing.
SHA256=$(sha256sum $FILE | cut -c 1-64) SIZE=$(wc -c < $FILE | tr -d ' ')
curl -sf -X POST $API/projects/curl-game/releases -H @$WORK/token -H "Content-Type: application/json" -d '{"files": [{"path": "index.html", "size": '$SIZE', "sha256": "'$SHA256'"}]}' > $WORK/opened.json
RELEASE=$(member release.id < $WORK/opened.json)

# 2. Ask for the upload URLs of up to 1,000 missing hashes.
curl -sf -X POST $API/projects/curl-game/releases/$RELEASE/uploads -H @$WORK/token -H "Content-Type: application/json" -d '{"sha256": ["'$SHA256'"]}' > $WORK/uploads.json

# 3. PUT the bytes to each URL with exactly the headers that stand beside it, and without your token: the URL is the permission.
# 412 means that the store has the file already. A URL works for an hour; then ask for another.
node -p 'Object.entries(JSON.parse(require("fs").readFileSync(0)).uploads[0].headers).map((header) => header.join(": ")).join("\\n")' < $WORK/uploads.json > $WORK/headers
curl -sf -T $FILE -H @$WORK/headers "$(member 'uploads[0].url' < $WORK/uploads.json)"

# 4. Make it live, in one step. The same request with the id of an earlier release rolls back.
curl -sf -X POST $API/projects/curl-game/releases/$RELEASE/publish -H @$WORK/token
curl -sf http://curl-game.localhost:8787/
\`\`\`

A file above 16 MiB can be sent in parts instead, so that an interrupted upload goes on where it was: see the request that sends a file
in parts, and [decision 59](../decisions/0059-large-files-in-parts.md) for its name.

\`release_incomplete\` in step 4 means that a file is missing: open the release again with the same list, which returns the same release
and what is missing.
`;
