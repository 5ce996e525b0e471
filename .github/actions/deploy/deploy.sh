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

# A stage that is deployed for the first time has no stack.
if ! found=$(describe "Stacks[0].StackId" 2>&1); then
  case "$found" in
    *"does not exist"*) ;;
    *) echo "$found" >&2; exit 1 ;;
  esac
else
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
