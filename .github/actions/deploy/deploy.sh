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
# Every stack of the stage, in the order of deployment.
stacks=" $(cdk ls --app "cdk.out/$STAGE" | tr '\n' ' ')"
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
  while status=$(describe "Stacks[0].StackStatus"); do
    case "$status" in
      REVIEW_IN_PROGRESS) return ;;
      *_IN_PROGRESS) echo "Waiting for $stack: $status"; sleep 15 ;;
      *) return ;;
    esac
  done
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
  settle
  case "$status" in
    CREATE_FAILED | ROLLBACK_COMPLETE | ROLLBACK_FAILED | DELETE_FAILED)
      echo "::error::$stack is $status: it must be made again, for which this role has no rights. An administrator runs once: npm run deploy -- $STAGE"
      exit 1 ;;
    UPDATE_FAILED | UPDATE_ROLLBACK_FAILED) cdk rollback --app "cdk.out/$STAGE" "$stack" ;;
  esac
  refuse_older
fi
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
for other in ${stacks#*" $stack "}; do deploy "$other"; done
echo "api=$(output ApiAddress)" >> "$GITHUB_OUTPUT"
