#!/usr/bin/env bash
# Deploys the synthesised stacks of $STAGE in the order of their dependencies, unless a commit is deployed that the one in
# GITHUB_SHA does not contain. That is checked once more after the change set of the stage's own stack is made: CloudFormation
# does not execute one that is older than the last deployment, so of two jobs at the same time the one with the older commit
# cannot win.
set -euo pipefail
# For this script alone: what is written to GITHUB_PATH goes before every later step's programs.
PATH="$PWD/.github/actions/deploy/node_modules/.bin:$PATH"
stack="svc-$STAGE"
change_set="commit-$GITHUB_SHA"
describe() {
  aws cloudformation describe-stacks --stack-name "$stack" --query "$1" --output text
}
output() {
  describe "Stacks[0].Outputs[?OutputKey=='$1'].OutputValue"
}
deploy() {
  cdk deploy --app "cdk.out/$STAGE" --exclusively --require-approval never "$@"
}
# Every stack of the stage, each after those that it reads; cdk ls has them as the app made them.
in_order='
  const { artifacts } = JSON.parse(fs.readFileSync(process.argv[1]));
  const names = fs.readFileSync(0, "utf8").trim().split("\n");
  const ordered = new Set();
  const add = (name) => {
    for (const other of names) if (artifacts[name].dependencies?.includes(other)) add(other);
    ordered.add(name);
  };
  names.forEach(add);
  console.log([...ordered].join(" "));'
stacks=" $(cdk ls --app "cdk.out/$STAGE" | node -e "$in_order" "cdk.out/$STAGE/manifest.json") "
case "$stacks" in *" $stack "*) ;; *) echo "::error::cdk.out/$STAGE has no stack $stack"; exit 1 ;; esac

deployed=
refuse_older() {
  deployed=$(output Commit)
  if [ -n "$deployed" ] && [ "$deployed" != None ] && ! git merge-base --is-ancestor "$deployed" "$GITHUB_SHA"; then
    echo "::error::$deployed is deployed, which $GITHUB_SHA does not contain. Revert on main instead of deploying an older commit."
    exit 1
  fi
}

# What somebody else changes just now is waited for.
settle() {
  while status=$("$@" "Stacks[0].StackStatus"); do
    case "$status" in
      REVIEW_IN_PROGRESS) return ;;
      *_IN_PROGRESS) echo "Waiting for ${2:-$stack}: $status"; sleep 15 ;;
      *) return ;;
    esac
  done
}
# For what the roles of this job have no rights.
needs_administrator() {
  echo "::error::$1: it must be made again, for which this role has no rights. An administrator runs once: npm run deploy -- $STAGE"
  exit 1
}
# Another stack of the stage, which may be in another region. A role of an older pipeline stack may not read it: then nothing is known of it.
describe_other() {
  local region
  region=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).artifacts[process.argv[2]].environment.split("/").at(-1)' \
    "cdk.out/$STAGE/manifest.json" "$1")
  aws cloudformation describe-stacks --stack-name "$1" --region "$region" --query "$2" --output text 2> /dev/null
}
# Before anything is changed: the last stack of a stage would fail after all others were deployed.
refuse_unready() {
  local other
  for other in $stacks; do
    [ "$other" != "$stack" ] || continue
    settle describe_other "$other" || continue
    case "$status" in
      CREATE_FAILED | ROLLBACK_COMPLETE | ROLLBACK_FAILED | DELETE_FAILED) needs_administrator "$other is $status" ;;
      UPDATE_FAILED | UPDATE_ROLLBACK_FAILED) cdk rollback --app "cdk.out/$STAGE" "$other" ;;
    esac
  done
}
# CloudFormation does not read outputs of another stack again while the template of the one that reads them is the same.
refuse_former_distribution() {
  local of
  of=$(describe_other "$1" "Stacks[0].Outputs[?OutputKey=='GamesDistributionId'].OutputValue") || return 0
  if [ -n "$of" ] && [ "$of" != None ] && [ "$of" != "$(output GamesDistributionId)" ]; then
    needs_administrator "$1 is of a former distribution"
  fi
}
# Nobody is asked here, so nothing that holds data or serves players is removed or replaced, unless ALLOW has its logical id.
refuse_loss() {
  local types='ApiGatewayV2::(Api|DomainName)|Backup::BackupVault|CloudFront::(Distribution|KeyValueStore)|Cognito::UserPool|DynamoDB::GlobalTable|S3::Bucket'
  local changes lost=
  changes=$(aws cloudformation describe-change-set --stack-name "$stack" --change-set-name "$change_set" \
    --query 'Changes[].ResourceChange.[Action, Replacement, ResourceType, LogicalResourceId]' --output text)
  while read -r action replacement type id; do
    [[ "$action" == Remove || ( "$action" == Modify && "$replacement" != False ) ]] || continue
    [[ "$type" =~ ^AWS::($types)$ && " ${ALLOW:-} " != *" $id "* ]] || continue
    lost+=" $id ($type)"
  done <<< "$changes"
  [ -z "$lost" ] || { echo "::error::This commit removes or replaces what holds data or serves players:$lost. If that is meant, enter the ids in the variable SVC_ALLOW of the environment $STAGE."; exit 1; }
}

# A stage that is deployed for the first time has no stack.
if ! found=$(describe "Stacks[0].StackId" 2>&1); then
  case "$found" in
    *"does not exist"*) ;;
    *) echo "$found" >&2; exit 1 ;;
  esac
else
  settle describe
  case "$status" in
    CREATE_FAILED | ROLLBACK_COMPLETE | ROLLBACK_FAILED | DELETE_FAILED) needs_administrator "$stack is $status" ;;
    UPDATE_FAILED | UPDATE_ROLLBACK_FAILED) cdk rollback --app "cdk.out/$STAGE" "$stack" ;;
  esac
  refuse_older
fi
refuse_unready
# CloudFormation undoes a commit after which one of these alarms begins (docs/decisions/0041-what-a-deployment-may-do.md#a-bad-commit-undoes-itself). They
# are parts of the stack, so its first deployment cannot name them: CloudFormation fails for an alarm that is missing.
triggers=()
if [[ "$found" == arn:* && "$(describe "Stacks[0].StackStatus")" != REVIEW_IN_PROGRESS ]]; then
  place=${found#arn:aws:cloudformation:}
  for alarm in ApiFailing FunctionsFailing; do
    triggers+=(--rollback-trigger-alarm-arns "arn:aws:cloudwatch:${place%%:stack/*}:alarm:$stack-$alarm")
  done
  triggers+=(--monitoring-time-minutes 10)
fi
if [ "$deployed" != "$GITHUB_SHA" ]; then
  # Before the change set: Lambda@Edge of the games, of which it names a version.
  for other in ${stacks%%" $stack "*}; do deploy "$other"; done
  deploy "$stack" --method prepare-change-set --change-set-name "$change_set" "${triggers[@]}"
  refuse_loss
  status=$(describe "Stacks[0].StackStatus")
  refuse_older
  aws cloudformation execute-change-set --stack-name "$stack" --change-set-name "$change_set"
  case "$status" in
    REVIEW_IN_PROGRESS) aws cloudformation wait stack-create-complete --stack-name "$stack" ;;
    *) aws cloudformation wait stack-update-complete --stack-name "$stack" ;;
  esac
fi
# They read outputs of the stage's stack.
for other in ${stacks#*" $stack "}; do
  refuse_former_distribution "$other"
  deploy "$other"
done
echo "api=$(output ApiAddress)" >> "$GITHUB_OUTPUT"
